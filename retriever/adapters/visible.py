"""Filters stores by the visibility of the current caller: hidden repositories look like missing ones."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from retriever.domain.errors import RepositoryNotFound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from common.core.visibility import Visibility
    from retriever.domain.evidence.piece import Decision
    from retriever.domain.tasks.task import TaskState
    from retriever.ports import DecisionLog, Snapshot, SnapshotStore, TaskStore


class VisibleSnapshots:
    """Implements `SnapshotStore` over another."""

    def __init__(self, snapshots: SnapshotStore, visibility: Visibility) -> None:
        self._snapshots = snapshots
        self._visibility = visibility

    @asynccontextmanager
    async def open(self, repository: str, snapshot_id: str) -> AsyncIterator[Snapshot]:
        """Open a snapshot for as long as the context lasts."""
        if not self._visibility.admits(repository):
            raise RepositoryNotFound.of(repository)
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            yield snapshot

    async def at_revision(self, repository: str, revision: str) -> str:
        """Return the snapshot of a commit, or the revision itself if it is a snapshot id; "" stays ""."""
        if not self._visibility.admits(repository):
            raise RepositoryNotFound.of(repository)
        return await self._snapshots.at_revision(repository, revision)


class VisibleTasks:
    """Implements `TaskStore` over another."""

    def __init__(self, tasks: TaskStore, visibility: Visibility) -> None:
        self._tasks = tasks
        self._visibility = visibility

    async def load(self, repository: str, task_id: str) -> TaskState | None:
        """Return the last stored state; None if there is none."""
        return await self._tasks.load(repository, task_id) if self._visibility.admits(repository) else None

    async def keep(self, state: TaskState) -> TaskState:
        """Store a state, unfiltered: its repository was opened through `VisibleSnapshots` before."""
        return await self._tasks.keep(state)


class VisibleDecisions:
    """Implements `DecisionLog` over another."""

    def __init__(self, log: DecisionLog, visibility: Visibility) -> None:
        self._log = log
        self._visibility = visibility

    async def append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        """Append decisions, unfiltered: their repository was opened through `VisibleSnapshots` before."""
        await self._log.append(repository, retrieval_id, decisions)

    async def read(
        self, repository: str, retrieval_id: str, after: int, limit: int
    ) -> tuple[tuple[int, Decision], ...]:
        """Return (sequence, decision) with a sequence above `after`, in order; empty if there are none."""
        return (
            await self._log.read(repository, retrieval_id, after, limit) if self._visibility.admits(repository) else ()
        )
