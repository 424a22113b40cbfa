"""A retriever in this process, reached over the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import evidence_pb2, question_pb2

from retriever.bootstrap import build
from retriever.settings import RetrieverSettings
from tests.fakes.reading import read_message

Stub: TypeAlias = "retriever_pb2_grpc.RetrieverServiceAsyncStub"


@asynccontextmanager
async def retriever_over(data: Path, **settings: Any) -> AsyncIterator[Stub]:
    """Serve a data folder on a free port, without metrics unless the settings say where, and give the stub."""
    async with AsyncExitStack() as stack:
        served = RetrieverSettings(data_dir=data, **{"port": 0, "metrics_port": 0, **settings})
        server = await stack.enter_async_context(build(served, stack))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
        yield retriever_pb2_grpc.RetrieverServiceStub(channel)


async def evidence_for(
    stub: Stub, question: str, *, mode: str = "CONCEPTUAL", symbols: Sequence[str] = (), **switches: bool
) -> Sequence[evidence_pb2.Evidence]:
    """Return the evidence for a question about the repository "shop", as the classifier reads it."""
    classification = question_pb2.Classification(
        mode=question_pb2.Mode.Value(f"MODE_{mode}"),
        anchors=question_pb2.Anchors(symbols=symbols),
        understanding=read_message(question),
    )
    request = retriever_pb2.RetrieveRequest(
        repository="shop",
        question=question,
        classification=classification,
        switches=question_pb2.Switches(**switches),
    )
    return (await stub.Retrieve(request)).evidence
