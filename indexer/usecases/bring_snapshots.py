"""Uploads snapshots that a crash or an unreachable object store left behind."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from common.core.errors import AppError, DependencyUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from indexer.ports import SnapshotAdmin, SnapshotOutbox

_LOOK_SECONDS = 2.0
_MOST_SECONDS = 30.0


class OutboxMetrics(Protocol):
    """Metrics of uploads."""

    def waiting(self, repositories: int) -> None:
        """Show how many repositories are still to be uploaded."""

    def uploaded(self, number: int) -> None:
        """Count uploaded bytes."""


@dataclass(frozen=True, slots=True)
class BringSnapshots:
    """
    Uploads the repositories in the outbox, every 2 s until cancelled; after failures at longer intervals, up to 30 s.

    Args:
        on_left: Called with repository and error at the first of several failures in a row; "" is no repository.
        sleep: Waits between two looks into the outbox.
    """

    outbox: SnapshotOutbox
    admin: SnapshotAdmin
    metrics: OutboxMetrics
    on_left: Callable[[str, Exception], None]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def run(self) -> None:
        """Check every repository once, as the bucket may have been changed by others; then upload from the outbox."""
        pause, compared = _LOOK_SECONDS, False
        while True:
            try:
                if not compared:
                    await self._owe_all()
                    compared = True
                failure = await self.look()
            except (AppError, OSError) as error:  # OSError: from the indexer's own disk
                failure = "", error
            if failure is not None and pause == _LOOK_SECONDS:
                self.on_left(*failure)
            pause = _LOOK_SECONDS if failure is None else min(2 * pause, _MOST_SECONDS)
            await self.sleep(pause)

    async def look(self) -> tuple[str, Exception] | None:
        """Upload what is in the outbox and return a failure, if any; a damaged repository does not stop the others."""
        failure: tuple[str, Exception] | None = None
        for repository in await asyncio.to_thread(self.outbox.owed):
            try:
                await asyncio.to_thread(self.outbox.bring, repository)
            except DependencyUnavailable as error:  # the object store is unreachable for the others, too
                failure = repository, error
                break
            except AppError as error:
                failure = failure or (repository, error)
        self.metrics.waiting(len(await asyncio.to_thread(self.outbox.owed)))
        self.metrics.uploaded(await asyncio.to_thread(self.outbox.uploaded))
        return failure

    async def _owe_all(self) -> None:
        for repository in await asyncio.to_thread(self.admin.repositories):
            await asyncio.to_thread(self.outbox.owe, repository)
