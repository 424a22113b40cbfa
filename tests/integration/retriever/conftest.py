"""The shop of the fixtures, indexed once, and a retriever that serves it to generated stubs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.fakes.retrieving import Stub, retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.indexer.indexing import Indexing
from tests.integration.retriever.opened_tree import indexed_tree, opened_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from retriever.adapters.snapshots.opening import OpenSnapshot
    from retriever.ports import Snapshot

SHOP = Path(__file__).parents[2] / "fixtures/shop"


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with the repositories "shop", indexed, and "overloads", made by hand."""
    data = tmp_path_factory.mktemp("data")
    Indexing(data).run(SHOP)
    text = "class Box:\n" + "".join(f"    def put(self, x{n}):\n        return {n}\n\n" for n in range(120))
    SnapshotBuilder().python("box.py", text).publish(data, "overloads")
    (data / "repositories/waiting").mkdir()
    return data


@dataclass(frozen=True, slots=True)
class Retriever:
    """A running retriever."""

    stub: Stub
    data: Path


@pytest_asyncio.fixture
async def retriever(indexed: Path) -> AsyncIterator[Retriever]:
    """Serve the indexed repositories."""
    async with retriever_over(indexed) as stub:
        yield Retriever(stub, indexed)


@pytest_asyncio.fixture
async def stub(request: pytest.FixtureRequest) -> AsyncIterator[Stub]:
    """Serve the files of a test's module, its FILES, as the repository "shop"."""
    async with retriever_over(indexed_tree(request.module.FILES), embedding_provider="none") as served:
        yield served


@pytest.fixture(scope="module")
def opened(request: pytest.FixtureRequest) -> Iterator[OpenSnapshot]:
    """Open a snapshot of the files of a test's module, its FILES."""
    with closing(opened_tree(request.module.FILES)) as found:
        yield found


@pytest.fixture(scope="module")
def snapshot(opened: OpenSnapshot) -> Snapshot:
    """Return what the stages read."""
    return opened.snapshot
