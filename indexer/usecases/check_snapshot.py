"""Checks the invariants of a snapshot."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.domain.snapshots.invariants import Checked
    from indexer.ports import SnapshotStore
    from indexer.usecases.snapshots import Snapshots


class CheckSnapshot:
    """
    Checks current snapshots.

    Args:
        check: Checks the core layer in the given folder and returns its violations.
    """

    def __init__(self, snapshots: Snapshots, store: SnapshotStore, check: Callable[[Path], Checked]) -> None:
        self._snapshots = snapshots
        self._store = store
        self._check = check

    async def run(self, repository: str) -> tuple[str, Checked]:
        """Return id and check of a repository's current snapshot. Raises RepositoryNotFound, IndexNotReady."""
        current = (await self._snapshots.get(repository, "")).snapshot
        folder = self._store.layer_folder(repository, current.core)
        return current.snapshot_id, await asyncio.to_thread(self._check, folder)
