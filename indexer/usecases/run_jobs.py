"""Does the jobs that are queued: so many at once, never two of one repository."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from common.core.errors import AppError
from indexer.domain.jobs import Job, JobQuery, JobState, Published

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from indexer.ports import IndexMetrics, JobWorker
    from indexer.usecases.job_board import JobBoard

_ACTIVE = (JobState.RUNNING, JobState.ENRICHING)
_MANY = 1000


class JobRunner:
    """
    Runs jobs until it is cancelled.

    Args:
        max_jobs: So many at once.
        on_defect: Hears of exceptions that nobody foresaw.
    """

    def __init__(
        self,
        board: JobBoard,
        worker: JobWorker,
        clock: Clock,
        metrics: IndexMetrics,
        *,
        max_jobs: int,
        on_defect: Callable[[Job, Exception], None],
    ) -> None:
        self._board = board
        self._worker = worker
        self._clock = clock
        self._metrics = metrics
        self._max_jobs = max_jobs
        self._on_defect = on_defect
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._repositories: dict[str, str] = {}
        self._cancelled: set[str] = set()
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Take up what an earlier process left, then what comes."""
        for job in await self._board.find(JobQuery(states=_ACTIVE, limit=_MANY)):
            await self._board.update(job.interrupted(self._clock.now()))
        async with asyncio.TaskGroup() as group:
            while True:
                self._wake.clear()
                for job in await self._startable():
                    self._repositories[job.job_id] = job.spec.repository
                    self._tasks[job.job_id] = group.create_task(self._work(job))
                await self._wake.wait()

    def wake(self) -> None:
        """Look for queued jobs now."""
        self._wake.set()

    async def cancel(self, job_id: str) -> Job:
        """End a job and return it; one in a final state stays as it is. Raises JobNotFound."""
        job = await self._board.get(job_id)
        if job.state == JobState.QUEUED and job_id not in self._tasks:
            await self._end(job, JobState.CANCELLED, "")
        if task := self._tasks.get(job_id):
            self._cancelled.add(job_id)
            task.cancel()
            await asyncio.wait([task])
        return await self._board.get(job_id)

    async def _startable(self) -> list[Job]:
        room = self._max_jobs - len(self._tasks)
        busy = set(self._repositories.values())
        chosen: list[Job] = []
        for job in reversed(await self._board.find(JobQuery(states=(JobState.QUEUED,), limit=_MANY))):
            if len(chosen) < room and job.spec.repository not in busy:
                busy.add(job.spec.repository)
                chosen.append(job)
        return chosen

    async def _work(self, queued: Job) -> None:
        job = queued.started(self._clock.now())
        try:
            await self._board.update(job)
            async with aclosing(self._worker.work(job.spec)) as events:
                async for event in events:
                    if isinstance(event, Published) and not job.snapshot_id:
                        self._metrics.published(job)
                    job = job.after(event)
                    await self._board.update(job)
            await self._end(job, JobState.SUCCEEDED, "")
        except AppError as error:
            await self._end(job, JobState.FAILED, error.message)
        except asyncio.CancelledError:
            if job.job_id not in self._cancelled:
                raise  # the service stops; the next one takes the job up again
            await self._end(job, JobState.CANCELLED, "")
        except Exception as error:  # noqa: BLE001 - the job runner's boundary: one job's defect must not end the others
            self._on_defect(job, error)
            await self._end(job, JobState.FAILED, "internal error; the indexer's log has it under the job's id")
        finally:
            self._tasks.pop(job.job_id, None)
            self._repositories.pop(job.job_id, None)
            self._cancelled.discard(job.job_id)
            self._wake.set()

    async def _end(self, job: Job, state: JobState, error: str) -> None:
        ended = job.ended(state, self._clock.now(), error)
        await self._board.update(ended)
        self._metrics.job_ended(ended)
