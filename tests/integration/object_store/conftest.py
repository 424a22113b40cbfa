"""A world for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.object_store.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An indexer's side with an empty bucket."""
    made = World(tmp_path)
    yield made
    made.close()
    made.bucket.close()
