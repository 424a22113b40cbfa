"""A world for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.object_store.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An indexer's side with an empty bucket."""
    made = World(tmp_path)
    yield made
    made.close()
    made.bucket.close()
