"""A retriever in this process, reached over the contract."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
from cgrag.retriever.v1 import retriever_pb2_grpc

from retriever.bootstrap import build
from retriever.settings import RetrieverSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def retriever_over(data: Path, **settings: Any) -> AsyncIterator[retriever_pb2_grpc.RetrieverServiceAsyncStub]:
    """Serve a data folder on a free port, without metrics unless the settings say where, and give the stub."""
    async with AsyncExitStack() as stack:
        served = RetrieverSettings(data_dir=data, **{"port": 0, "metrics_port": 0, **settings})
        server = await stack.enter_async_context(build(served, stack))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
        yield retriever_pb2_grpc.RetrieverServiceStub(channel)
