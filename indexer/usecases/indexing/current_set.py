"""
Finds the set that a later layer may join: other cores may have been published since it was begun, or the repository be
removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.errors import RepositoryNotFound

if TYPE_CHECKING:
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import SnapshotStore


def current_over(store: SnapshotStore, snapshot: SnapshotSet) -> SnapshotSet | None:
    """Return the current set of a snapshot's repository, None if it has another core; inside `staging` it stays so."""
    current = store.current(snapshot.repository)
    return current if current is not None and current.core == snapshot.core else None


def is_overtaken(store: SnapshotStore, repository: str, snapshot_id: str) -> bool:
    """Return whether the current core is not that of the published set: after a later job or a rollback."""
    published = [each for each in store.sets(repository) if each.snapshot_id == snapshot_id]
    return bool(published) and current_over(store, published[0]) is None


def require_published(store: SnapshotStore, repository: str) -> None:
    """Raise RepositoryNotFound if nothing of a repository serves: it was removed; inside `staging` it stays."""
    if store.current(repository) is None:
        raise RepositoryNotFound.of(repository)
