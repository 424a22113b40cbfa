"""Where the retriever keeps what it writes."""

from __future__ import annotations

from pathlib import Path

from cgrag.retriever.v1 import retriever_pb2 as pb

from tests.fakes.retrieving import retriever_over


async def test_decisions_and_tasks_are_kept_in_the_state_folder(indexed: Path, tmp_path: Path) -> None:
    """Replicas that share the data folder over a network file system keep their databases on disks of their own."""
    async with retriever_over(indexed, state_dir=tmp_path / "state") as stub:
        await stub.BuildContext(
            pb.BuildContextRequest(
                repository="shop", task="Mend the till", stages=["scope"], context_window_tokens=4000
            )
        )
        written = _databases(tmp_path / "state")

    assert written == {"decisions.db", "tasks.db"}


def _databases(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.db")}
