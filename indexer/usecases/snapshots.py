"""Reads published snapshots and rolls back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.visibility import EVERYTHING
from indexer.domain.errors import IndexNotReady, RepositoryNotFound, SnapshotNotFound, SnapshotUnknown
from indexer.domain.jobs import BEGUN, JobQuery, JobState

if TYPE_CHECKING:
    from common.core.visibility import Visibility
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import SnapshotAdmin, SnapshotStore
    from indexer.usecases.jobs.board import JobBoard


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """A repository, the set that is served, and the job that is queued or at work ("" for none)."""

    repository: str
    current: SnapshotSet | None
    active_job_id: str


@dataclass(frozen=True, slots=True)
class ListedSnapshot:
    """A set, and whether it is the one that is served."""

    snapshot: SnapshotSet
    current: bool


class Snapshots:
    """Reads the published snapshots of repositories, and rolls back to earlier ones."""

    def __init__(
        self, store: SnapshotStore, admin: SnapshotAdmin, board: JobBoard, visibility: Visibility = EVERYTHING
    ) -> None:
        self._store = store
        self._admin = admin
        self._board = board
        self._visibility = visibility

    async def repositories(self) -> tuple[RepositoryState, ...]:
        """Return all repositories that have a published snapshot or a queued or running job, by name."""
        waiting = await self._board.waiting()  # one job for each repository, however many are queued
        begun = await self._board.find(JobQuery(states=BEGUN))
        running_last = sorted(begun, key=lambda job: job.state == JobState.RUNNING)
        active = {job.spec.repository: job.job_id for job in (*waiting, *running_last)}
        published = filter(self._visibility.sees, await asyncio.to_thread(self._admin.repositories))
        return tuple(
            [
                RepositoryState(name, await asyncio.to_thread(self._store.current, name), active.get(name, ""))
                for name in sorted({*published, *active})
            ]
        )

    async def list(self, repository: str) -> tuple[ListedSnapshot, ...]:
        """
        Return the sets of a repository, newest first. Raises RepositoryNotFound, IndexNotReady.

        None of them is marked as current if the current set cannot be read: it is damaged, or of a later release.
        """
        try:
            served = (await self._current(repository)).snapshot_id
        except SnapshotUnknown:
            served = ""
        sets = await asyncio.to_thread(self._store.sets, repository)
        return tuple(ListedSnapshot(each, each.snapshot_id == served) for each in sets)

    async def get(self, repository: str, snapshot_id: str) -> ListedSnapshot:
        """Return one set, the current one for "". Raises RepositoryNotFound, IndexNotReady, SnapshotNotFound."""
        if not snapshot_id:
            return ListedSnapshot(await self._current(repository), current=True)
        found = [each for each in await self.list(repository) if each.snapshot.snapshot_id == snapshot_id]
        if not found:
            raise SnapshotNotFound(
                f"{repository!r} has no snapshot {snapshot_id}; list what there is.",
                metadata={"repository": repository, "snapshot_id": snapshot_id},
            )
        return found[0]

    async def rollback(self, repository: str, snapshot_id: str) -> ListedSnapshot:
        """Make an earlier set current. Raises RepositoryNotFound, IndexNotReady, SnapshotNotFound, StateForbids."""
        with suppress(SnapshotUnknown):  # an unreadable current set must not prevent the rollback
            await self._current(repository)
        return ListedSnapshot(await asyncio.to_thread(self._admin.rollback, repository, snapshot_id), current=True)

    async def _current(self, repository: str) -> SnapshotSet:
        if not self._visibility.admits(repository):
            raise RepositoryNotFound.of(repository)
        current = await asyncio.to_thread(self._store.current, repository)
        if current is not None:
            return current
        if repository in await asyncio.to_thread(self._admin.repositories):
            raise SnapshotUnknown.of(repository)
        if await self._board.find(JobQuery(repository, limit=1)):
            raise IndexNotReady(
                f"{repository!r} has no snapshot yet; watch its job.", metadata={"repository": repository}
            )
        raise RepositoryNotFound.of(repository)
