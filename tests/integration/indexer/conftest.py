"""Folders for the indexer's tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from indexer.adapters.precise.archive import SqlitePreciseArchive
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree

TILL = Path(__file__).parents[2] / "fixtures/scip/python"


@pytest.fixture
def indexing(tmp_path: Path) -> Indexing:
    """Return an indexer with an empty data folder."""
    return Indexing(tmp_path / "data")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return the folder of a small project without git."""
    return write_tree(tmp_path / "shop", SHOP)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return an empty data folder."""
    return tmp_path / "data"


@pytest.fixture
def till(tmp_path: Path) -> Path:
    """Return a copy of the project that the indexes of `tests/fixtures/scip` were made of."""
    return Path(shutil.copytree(TILL, tmp_path / "till"))


@pytest.fixture
def archive(indexing: Indexing) -> Iterator[SqlitePreciseArchive]:
    """Return what is kept of imports."""
    with closing(SqlitePreciseArchive(indexing.data / "indexer/precise.db")) as opened:
        yield opened
