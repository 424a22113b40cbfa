"""Gaps in repositories of Go and Java: names as these languages write them, and what is defined elsewhere."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import grpc
import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import evidence_pb2

from indexer.domain.jobs import JobSpec, LocalSource
from indexer.settings import IndexerSettings
from indexer.worker.bootstrap import index_repository
from retriever.bootstrap import build
from retriever.settings import RetrieverSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

FILES = {
    "go.mod": "module github.com/acme/shop\n",
    "order.go": 'package shop\n\nimport flag "github.com/spf13/pflag"\n\n// Order is bought.\ntype Order struct{}\n\n'
    "// Total sums up.\nfunc (o *Order) Total() int {\n\tflag.Parse()\n\treturn 1\n}\n",
    "src/main/java/org/acme/shop/Cart.java": "package org.acme.shop;\n\nimport org.web.ui.Model;\n\n"
    "public class Cart {\n  public void fill(Model model) {\n    model.put(1);\n  }\n}\n",
}


class _Silent:
    def tell(self, event: object) -> None:
        """Hear the progress."""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with one small repository of both languages."""
    root, data = tmp_path_factory.mktemp("mixed"), tmp_path_factory.mktemp("data")
    for path, text in FILES.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with index_repository(IndexerSettings(data_dir=data, allowed_roots=(str(root),), parse_processes=1)) as indexer:
        indexer.run(JobSpec("mixed", LocalSource(str(root))), _Silent())
    return data


@pytest_asyncio.fixture
async def stub(mixed: Path) -> AsyncIterator[retriever_pb2_grpc.RetrieverServiceAsyncStub]:
    """Serve it."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(
            build(RetrieverSettings(port=0, metrics_port=0, data_dir=mixed, embedding_provider="none"), stack)
        )
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
        yield retriever_pb2_grpc.RetrieverServiceStub(channel)


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        ("(*Order).Total", "RESOLVED"),
        ("shop.Order.Total", "RESOLVED"),
        ("github.com/acme/shop.(*Order).Total", "RESOLVED"),
        ("shop.Order.Refund", "ABSENT"),
        ("pflag.FlagSet", "EXTERNAL"),
        ("Cart#fill", "RESOLVED"),
        ("org.acme.shop.Cart", "RESOLVED"),
        ("org.acme.shop.Basket", "ABSENT"),
        ("org.web.ui.Model", "EXTERNAL"),
    ],
)
async def test_names_of_go_and_java(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, written: str, outcome: str
) -> None:
    """A package at the top is called as its files declare, and what is imported from elsewhere is not absent."""
    request = retriever_pb2.ResolveGapsRequest(repository="mixed", gaps=[evidence_pb2.Gap(symbol=written)])
    response = await stub.ResolveGaps(request)

    assert evidence_pb2.GapOutcome.Name(response.results[0].outcome) == f"GAP_OUTCOME_{outcome}"
