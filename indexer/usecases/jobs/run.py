"""
Runs the queued jobs: at most `max_jobs` at once, and never two of one repository.

A job whose core is published is ended for the next queued job of its repository, which may have newer files; vectors
that it made are cached by content, so the next job reuses them. A job that has published a provisional snapshot is
ended in the same way, but only for `provisional_seconds`: otherwise a series of edits would defer the exact snapshot
without limit. If `max_jobs` jobs are running, a queued job that has not published yet takes the place of a job of
another repository that only makes later layers; the latter is put back into the queue.

A job that is interrupted after it published, and then resumed, only makes later layers. If another core is current by
then, for example after a rollback, it succeeds without doing anything.

The outcome of a job is decided once: a cancellation that arrives while the outcome is being written has no effect.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from common.core.errors import AppError
from indexer.domain.errors import JobFailed, JobNotFound, JobTimedOut
from indexer.domain.jobs import BEGUN, Job, JobQuery, JobState, Published

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from common.core.clock import Clock
    from indexer.ports import IndexMetrics, JobWorker
    from indexer.usecases.jobs.board import JobBoard


class _Stop(Enum):
    """Why a job is ended before its time."""

    CANCELLED = auto()
    SET_ASIDE = auto()
    PUT_BACK = auto()


@dataclass(slots=True)
class _Run:
    """
    A running job.

    Args:
        published: Its exact core is published, and later layers are being made.
        stop: Why its task was cancelled; None if it was not cancelled, or because the service stops.
        decided: The outcome of the job is known, and is being written.
    """

    job: Job
    task: asyncio.Task[None] | None = None
    published: bool = False
    stop: _Stop | None = None
    decided: bool = False

    @property
    def leaving(self) -> bool:
        """Return whether the run is ending."""
        return self.decided or self.stop is not None

    def end(self, stop: _Stop) -> None:
        """Cancel the task, if that was not done before; the last `stop` before the outcome is decided counts."""
        if not self.leaving and self.task is not None:
            self.task.cancel()
        if not self.decided:
            self.stop = stop


@dataclass(slots=True, eq=False)
class JobRunner:
    """
    Runs jobs until it is cancelled.

    Args:
        max_jobs: Jobs that run at once, at most.
        job_seconds: A job that takes longer fails; None for no limit.
        provisional_seconds: How long a repository may have provisional snapshots only: after that, its next job waits
            until the running one has published the exact snapshot.
        overtaken: Returns whether a repository's current core is another than that of the snapshot with the given id;
            blocks.
        on_end: Called with each job that has reached a final state.
        on_defect: Called with unexpected exceptions.
    """

    board: JobBoard
    worker: JobWorker
    clock: Clock
    metrics: IndexMetrics
    max_jobs: int
    job_seconds: float | None
    provisional_seconds: float
    overtaken: Callable[[str, str], bool]
    on_end: Callable[[Job], None]
    on_defect: Callable[[Job, Exception], None]
    _provisional_since: dict[str, float] = field(init=False, default_factory=dict)
    _runs: dict[str, _Run] = field(init=False, default_factory=dict)
    _wake: asyncio.Event = field(init=False, default_factory=asyncio.Event)

    async def run(self) -> None:
        """Resume the jobs of an earlier process, then run new ones."""
        while left := await self.board.find(JobQuery(states=BEGUN)):
            for job in left:
                await self.board.update(job.interrupted(self.clock.now()))
        async with asyncio.TaskGroup() as group:
            while True:
                self._wake.clear()
                for job, holder in await self._startable():
                    run = self._runs[job.job_id] = _Run(job)
                    if holder is not None:
                        same = holder.job.spec.repository == job.spec.repository
                        holder.end(_Stop.SET_ASIDE if same else _Stop.PUT_BACK)
                    run.task = group.create_task(self._work(run, holder))
                    run.task.add_done_callback(partial(self._left, run))
                await self._wake.wait()

    def _left(self, run: _Run, _: asyncio.Task[None]) -> None:
        """Forget a run whose task has ended, also if the task was cancelled before it began."""
        self._runs.pop(run.job.job_id, None)
        self._wake.set()

    def wake(self) -> None:
        """Look for queued jobs now."""
        self._wake.set()

    async def cancel(self, job_id: str) -> Job:
        """End a job and return it; one in a final state stays as it is. Raises JobNotFound."""
        job = await self.board.get(job_id)
        while (run := self._runs.get(job_id)) is not None and run.task is not None:
            run.end(_Stop.CANCELLED)
            await asyncio.wait([run.task])
            job = await self.board.get(job_id)
        if not job.state.final:
            await self._end(job.ended(JobState.CANCELLED, self.clock.now()))
        return await self.board.get(job_id)

    async def _startable(self) -> list[tuple[Job, _Run | None]]:
        """Return queued jobs to start now, the oldest first, each with the run that it supersedes."""
        room = self.max_jobs - len(self._runs)
        if room <= 0 and not any(map(self._makes_room, self._runs.values())):
            return []
        holders = {run.job.spec.repository: run for run in self._runs.values()}
        chosen: dict[str, tuple[Job, _Run | None]] = {}
        for job in await self.board.waiting():
            repository = job.spec.repository
            holder = holders.get(repository)
            if holder is None and room > 0:
                room -= 1
                chosen[repository] = job, None
            elif holder is not None and self._makes_room(holder):
                chosen[repository] = job, holder
            elif holder is None and not job.snapshot_id:  # one with a snapshot was put back: it waits
                other = self._making_later_layers([run for _, run in chosen.values()])
                if other is not None:
                    chosen[repository] = job, other
        return list(chosen.values())

    def _making_later_layers(self, taken: Sequence[_Run | None]) -> _Run | None:
        """Return the latest run that has published its core and is not superseded yet."""
        runs = (run for run in reversed(self._runs.values()) if run.published and not run.leaving)
        return next((run for run in runs if run not in taken), None)

    async def _work(self, run: _Run, before: _Run | None) -> None:
        try:
            if before is not None and before.task is not None:
                await asyncio.wait([before.task])
            if await self._is_wanted(run.job):
                if not await self._is_overtaken(run.job):
                    await self._follow(run)
                run.job = run.job.ended(JobState.SUCCEEDED, self.clock.now())
        except JobFailed as error:
            run.job = run.job.failed(self.clock.now(), error.message, error.worker_reason)
        except AppError as error:
            run.job = run.job.failed(self.clock.now(), error.message, error.reason)
        except asyncio.CancelledError:
            if run.stop is None:
                await self._give_back(run)
                raise  # the service stops; after the next start the job is run again
            run.job = self._stopped(run)
        except Exception as error:  # noqa: BLE001 - the job runner's boundary: one job's defect must not end the others
            self.on_defect(run.job, error)
            problem = "internal error; the indexer's log has it under the job's id"
            run.job = run.job.failed(self.clock.now(), problem)
        run.decided = True
        await self._conclude(run)

    async def _give_back(self, run: _Run) -> None:
        """Queue a job again as the service stops, without counting an attempt; if that cannot be written, it counts."""
        if run.job.state in BEGUN:
            with suppress(AppError):
                await self.board.update(run.job.put_back())

    def _stopped(self, run: _Run) -> Job:
        """Return the job after its run was ended; a superseded one waits for the outcome of the other job."""
        if run.stop is _Stop.CANCELLED:
            return run.job.ended(JobState.CANCELLED, self.clock.now())
        return run.job.put_back() if run.stop is _Stop.PUT_BACK else run.job

    async def _conclude(self, run: _Run) -> None:
        """Store the outcome of a job and, unless another job supersedes it, of the jobs that it superseded itself."""
        if run.job.state.final:
            await self._end(run.job)
        elif run.stop is _Stop.PUT_BACK:
            await self.board.update(run.job)
        if run.stop in (None, _Stop.CANCELLED):
            await self._settle(run)

    async def _is_wanted(self, job: Job) -> bool:
        """Return whether a job is still queued: it may have been cancelled or removed since it was chosen."""
        try:
            return (await self.board.get(job.job_id)).state == JobState.QUEUED
        except JobNotFound:
            return False

    async def _is_overtaken(self, job: Job) -> bool:
        """Return whether a job published a core before it was interrupted, and another core is current now."""
        if not job.snapshot_id or job.provisional:
            return False
        return await asyncio.to_thread(self.overtaken, job.spec.repository, job.snapshot_id)

    async def _follow(self, run: _Run) -> None:
        """Let a worker do the job and store its events. Raises JobTimedOut."""
        await self._keep(run, run.job.started(self.clock.now()))
        limit = asyncio.timeout(self.job_seconds)
        try:
            async with limit, aclosing(self.worker.work(run.job.spec)) as events:
                async for event in events:
                    if isinstance(event, Published) and not run.job.snapshot_id:
                        self.metrics.published(run.job)
                    await self._keep(run, run.job.after(event))
                    if isinstance(event, Published):
                        await self._served(run)
        except TimeoutError:
            if not limit.expired():
                raise
            raise JobTimedOut.after(self.job_seconds or 0.0, published=run.published) from None

    async def _served(self, run: _Run) -> None:
        """Record that a job has published a snapshot, provisional or exact."""
        repository = run.job.spec.repository
        if run.job.provisional:
            self._provisional_since.setdefault(repository, self.clock.monotonic())
        else:
            self._provisional_since.pop(repository, None)
            if not run.published:
                run.published = True
                await self._settle(run)
        self._wake.set()

    def _makes_room(self, run: _Run) -> bool:
        """Return whether a run may give way: its core is published, or provisional for less than the limit."""
        if run.leaving:
            return False
        if run.published:
            return True
        since = self._provisional_since.get(run.job.spec.repository)
        recent = since is not None and self.clock.monotonic() - since < self.provisional_seconds
        return run.job.provisional and recent

    async def _settle(self, run: _Run) -> None:
        """End the jobs that this one superseded if it has published its core; else queue them again."""
        query = JobQuery(run.job.spec.repository, BEGUN)
        for job in await self.board.find(query):
            if job.job_id in self._runs or job.job_id == run.job.job_id:
                continue
            if run.published:
                await self._end(job.superseded(run.job.job_id, self.clock.now()))
            else:
                await self.board.update(job.put_back())

    async def _keep(self, run: _Run, job: Job) -> None:
        run.job = job
        await self.board.update(job)

    async def _end(self, job: Job) -> None:
        if await self.board.end(job):
            self.metrics.job_ended(job)
            self.on_end(job)
