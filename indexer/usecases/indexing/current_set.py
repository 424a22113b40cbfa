"""
Checks whether a layer may still be added to the current set: while the layer was being made, another core may have been
published, or the repository removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.errors import RepositoryNotFound

if TYPE_CHECKING:
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import SnapshotStore


def current_over(store: SnapshotStore, snapshot: SnapshotSet) -> SnapshotSet | None:
    """Return the current set if it has the snapshot's core, else None; inside `staging` it cannot change."""
    current = store.current(snapshot.repository)
    return current if current is not None and current.core == snapshot.core else None


def is_overtaken(store: SnapshotStore, repository: str, snapshot_id: str) -> bool:
    """Return whether another core than that of the published set is current, after a later job or a rollback."""
    published = [each for each in store.sets(repository) if each.snapshot_id == snapshot_id]
    return bool(published) and current_over(store, published[0]) is None


def require_published(store: SnapshotStore, repository: str) -> None:
    """Raise RepositoryNotFound if a repository was removed; inside `staging` it cannot be removed any more."""
    if store.current(repository) is None:
        raise RepositoryNotFound.of(repository)
