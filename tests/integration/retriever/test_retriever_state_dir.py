"""Where the retriever keeps what it writes."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import grpc
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2_grpc

from retriever.bootstrap import build
from retriever.settings import RetrieverSettings


async def test_decisions_and_tasks_are_kept_in_the_state_folder(indexed: Path, tmp_path: Path) -> None:
    """Replicas that share the data folder over a network file system keep their databases on disks of their own."""
    settings = RetrieverSettings(port=0, metrics_port=0, data_dir=indexed, state_dir=tmp_path / "state")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(build(settings, stack))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
        await retriever_pb2_grpc.RetrieverServiceStub(channel).BuildContext(
            pb.BuildContextRequest(
                repository="shop", task="Mend the till", stages=["scope"], context_window_tokens=4000
            )
        )
        written = _databases(tmp_path / "state")

    assert written == {"decisions.db", "tasks.db"}


def _databases(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.db")}
