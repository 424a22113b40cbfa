"""The shop of the fixtures, indexed once, and a retriever that serves it to generated stubs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2_grpc

from indexer.domain.jobs import JobSpec, LocalSource
from indexer.settings import IndexerSettings
from indexer.worker.bootstrap import index_repository
from tests.fakes.retrieving import retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SHOP = Path(__file__).parents[2] / "fixtures/shop"


class _Silent:
    """Hears the progress of indexing."""

    def tell(self, event: object) -> None:
        """Hear it."""


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with the repositories "shop", indexed, and "overloads", made by hand."""
    data = tmp_path_factory.mktemp("data")
    settings = IndexerSettings(data_dir=data, allowed_roots=(str(SHOP),), parse_processes=1)
    with index_repository(settings) as indexer:
        indexer.run(JobSpec("shop", LocalSource(str(SHOP))), _Silent())
    text = "class Box:\n" + "".join(f"    def put(self, x{n}):\n        return {n}\n\n" for n in range(120))
    SnapshotBuilder().python("box.py", text).publish(data, "overloads")
    (data / "repositories/waiting").mkdir()
    return data


@dataclass(frozen=True, slots=True)
class Retriever:
    """A running retriever."""

    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub
    data: Path


@pytest_asyncio.fixture
async def retriever(indexed: Path) -> AsyncIterator[Retriever]:
    """Serve the indexed repositories."""
    async with retriever_over(indexed) as stub:
        yield Retriever(stub, indexed)
