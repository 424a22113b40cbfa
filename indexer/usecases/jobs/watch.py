"""Streams a job while it changes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from indexer.domain.jobs import Job
    from indexer.usecases.jobs.board import JobBoard

INTERVAL_SECONDS = 0.1
"""Least time between two states that a watcher receives; it always gets the newest one."""


async def watch_job(board: JobBoard, job_id: str) -> AsyncGenerator[Job, None]:
    """Yield the job at once and after changes, until its final state. Raises JobNotFound, also if removed meanwhile."""
    with board.news(job_id) as news:
        last: Job | None = None
        while last is None or not last.state.final:
            news.clear()
            job = await board.get(job_id)
            if job != last:
                yield job
                last = job
            if not job.state.final:
                await news.wait()
                await asyncio.sleep(INTERVAL_SECONDS)
