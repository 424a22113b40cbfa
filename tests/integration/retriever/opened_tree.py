"""What is indexed, opened as a retriever does."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, OpenSnapshot, open_snapshot
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from collections.abc import Mapping


def indexed_tree(source: Mapping[str, str | bytes] | Mapping[str, str], repository: str = "shop") -> Path:
    """
    Return a data folder in which files, given by path, are indexed as a repository.

    Equal sources share one folder until the process ends: read it, and copy it before you change it.
    """
    return _indexed(tuple(sorted(source.items())), repository)


@cache
def _indexed(files: tuple[tuple[str, str | bytes], ...], repository: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="cgrag-indexed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    indexing = Indexing(folder / "data")
    indexing.run(write_tree(folder / "source", dict(files)), name=repository)
    return indexing.data


def opened_tree(source: Mapping[str, str | bytes] | Mapping[str, str]) -> OpenSnapshot:
    """Open a snapshot of files by path; equal sources are indexed once."""
    return opened_current(indexed_tree(source))


def opened_current(data: Path, repository: str = "shop") -> OpenSnapshot:
    """Open the current snapshot of a repository."""
    snapshots = SnapshotFolder(data / "repositories", repository)
    return open_snapshot(snapshots.read_set(snapshots.current()), LayerOpeners(read_statements(), SqliteLexical))
