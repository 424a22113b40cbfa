"""What is indexed, opened as a retriever does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, OpenSnapshot, open_snapshot
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def opened_tree(folder: Path, source: Mapping[str, str]) -> OpenSnapshot:
    """Write files by path into a folder, index them as "shop", and open the snapshot."""
    indexing = Indexing(folder / "data")
    write_tree(folder / "shop", source)
    indexing.run(folder / "shop")
    return opened_current(indexing.data)


def opened_current(data: Path, repository: str = "shop") -> OpenSnapshot:
    """Open the current snapshot of a repository."""
    snapshots = SnapshotFolder(data / "repositories", repository)
    return open_snapshot(snapshots.read_set(snapshots.current()), LayerOpeners(read_statements(), SqliteLexical))
