"""Folders for the indexer's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.indexer.indexing import SHOP, Indexing, write_tree


@pytest.fixture
def indexing(tmp_path: Path) -> Indexing:
    """Return an indexer with an empty data folder."""
    return Indexing(tmp_path / "data")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return the folder of a small project without git."""
    return write_tree(tmp_path / "shop", SHOP)
