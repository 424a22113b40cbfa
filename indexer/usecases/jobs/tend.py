"""Keeps jobs at work: the disk that keeps them may fail, and come back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from indexer.usecases.jobs.remove_repository import RemoveRepository
    from indexer.usecases.jobs.run import JobRunner


class TendJobs:
    """
    Finishes removals that were left, then does jobs; begins again when either fails.

    Args:
        every_seconds: Pause before it begins again.
        on_failure: Hears of each failure.
    """

    def __init__(
        self,
        removals: RemoveRepository,
        runner: JobRunner,
        *,
        every_seconds: float,
        on_failure: Callable[[Exception], None],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._removals = removals
        self._runner = runner
        self._every_seconds = every_seconds
        self._on_failure = on_failure
        self._sleep = sleep
        self._works = True

    async def works(self) -> bool:
        """Return whether jobs are being done: false from a failure until removals could be read again."""
        return self._works

    async def run(self) -> None:
        """Work until cancelled. Jobs that were at work when it failed are taken up again, as after a crash."""
        while True:
            try:
                # First: jobs of a repository that is being removed are not to be taken up.
                await self._removals.finish()
                self._works = True
                await self._runner.run()
            except Exception as error:  # noqa: BLE001 - whatever it is, jobs wait for somebody who does them
                self._works = False
                self._on_failure(error)
                await self._sleep(self._every_seconds)
