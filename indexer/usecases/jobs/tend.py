"""Restarts the job runner after failures, such as those of the disk that stores the jobs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from indexer.usecases.jobs.remove_repository import RemoveRepository
    from indexer.usecases.jobs.run import JobRunner


@dataclass(slots=True, eq=False)
class TendJobs:
    """
    Finishes interrupted removals, then runs jobs; starts over when one of the two fails.

    Args:
        every_seconds: Pause before starting over.
        on_failure: Called with each failure.
    """

    removals: RemoveRepository
    runner: JobRunner
    every_seconds: float
    on_failure: Callable[[Exception], None]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _works: bool = field(init=False, default=True)

    async def works(self) -> bool:
        """Return whether jobs are run: false after a failure, until the interrupted removals can be read again."""
        return self._works

    async def run(self) -> None:
        """Run until cancelled. Jobs that were running at a failure are run again, as after a crash."""
        while True:
            try:
                # Before the jobs are run: those of a repository that is being removed must not start.
                await self.removals.finish()
                self._works = True
                await self.runner.run()
            except Exception as error:  # noqa: BLE001 - jobs must be run again after any error
                self._works = False
                self.on_failure(error)
                await self.sleep(self.every_seconds)
