"""Jobs are done again once what keeps them works again."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, cast

import pytest

from common.core.errors import DependencyUnavailable
from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.domain.jobs import JobQuery
from indexer.usecases.jobs.tend import TendJobs


class Failing:
    """Stands for removals and runner: fails as often as it is told to, then goes on until it is cancelled."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.at_work = asyncio.Event()

    async def finish(self) -> None:
        """Have nothing to remove."""

    async def run(self) -> None:
        """Fail, or work."""
        if self.failures:
            raise self.failures.pop(0)
        self.at_work.set()
        await asyncio.Event().wait()


async def test_jobs_are_done_again_after_a_failure() -> None:
    """Each failure is told, and not ready until what was left could be read again."""
    jobs = Failing(DependencyUnavailable("disk"), ExceptionGroup("tasks", [OSError("disk")]))
    told: list[str] = []
    paused: list[tuple[float, bool]] = []

    async def sleep(seconds: float) -> None:
        paused.append((seconds, await tending.works()))

    def failed(error: Exception) -> None:
        told.append(str(error).partition(" (")[0])

    tending = TendJobs(cast("Any", jobs), cast("Any", jobs), every_seconds=1.0, on_failure=failed, sleep=sleep)
    work = asyncio.create_task(tending.run())
    await asyncio.wait_for(jobs.at_work.wait(), 30)
    works = await tending.works()
    work.cancel()
    await asyncio.wait([work])

    assert told == ["disk", "tasks"]
    assert paused == [(1.0, False), (1.0, False)]
    assert works
    assert work.cancelled()


def test_a_queue_that_cannot_be_read_is_told_as_such(tmp_path: Path) -> None:
    """No exception of SQLite leaves it: callers are told what is out of order."""
    queue = SqliteJobQueue(tmp_path / "jobs.db")
    queue._connection.close()  # what any read then raises, as of a disk that fails
    for read in (lambda: queue.get("j"), lambda: queue.find(JobQuery()), lambda: queue.waiting(()), queue.removals):
        with pytest.raises(DependencyUnavailable, match="cannot read its queue of jobs") as raised:
            read()
        assert isinstance(raised.value.__cause__, sqlite3.DatabaseError)
