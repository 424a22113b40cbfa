"""Finds the set that a later layer may join: other cores may have been published since it was begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.snapshot import SnapshotSet
    from indexer.ports import SnapshotStore


def current_over(store: SnapshotStore, snapshot: SnapshotSet) -> SnapshotSet | None:
    """Return the current set of a snapshot's repository, None if it has another core; inside `staging` it stays so."""
    current = store.current(snapshot.repository)
    return current if current is not None and current.core == snapshot.core else None
