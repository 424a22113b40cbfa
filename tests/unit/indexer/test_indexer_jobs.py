"""Starting, running, watching and cancelling jobs, without disk and processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from indexer.domain.errors import JobFailed, JobNotFound
from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource, Phase, Progress, Progressed, Published
from indexer.domain.snapshot import Counts
from indexer.usecases.job_board import JobBoard
from indexer.usecases.run_jobs import JobRunner
from indexer.usecases.start_job import StartJob
from indexer.usecases.watch_job import watch_job
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds
from tests.fakes.indexer_jobs import CountedJobs, MemoryJobQueue, ScriptedWorker

PROGRESS = Progressed(Progress(Phase.PARSING, 1, 2, 1.0), Counts())
PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


class NoReaders:
    """Nobody who wants to know of repositories."""

    def announce(self, repository: str) -> None:
        """Tell nobody."""


class AnySource:
    """Allows every source."""

    def check(self, spec: JobSpec) -> None:
        """Allow it."""


@dataclass
class Service:
    """The use cases over fakes."""

    max_jobs: int = 1
    queue: MemoryJobQueue = field(default_factory=MemoryJobQueue)
    worker: ScriptedWorker = field(default_factory=ScriptedWorker)
    metrics: CountedJobs = field(default_factory=CountedJobs)
    defects: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.board = JobBoard(self.queue)
        self.runner = JobRunner(
            self.board,
            self.worker,
            FakeClock(),
            self.metrics,
            max_jobs=self.max_jobs,
            on_defect=lambda _, error: self.defects.append(error),
        )
        sources, readers = AnySource(), NoReaders()
        self.start = StartJob(sources, self.board, self.runner, readers, FakeClock(), SequentialIds())  # type: ignore[arg-type]  # open is not called

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run jobs inside the block."""
        task = asyncio.create_task(self.runner.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def until(self, job_id: str, *states: JobState) -> Job:
        """Wait until a job is in one of these states."""
        async with aclosing(watch_job(self.board, job_id)) as jobs:
            async for job in jobs:
                if job.state in states:
                    return job
        raise AssertionError(f"{job_id} never was in {states}")


def spec(repository: str = "shop", path: str = "/src") -> JobSpec:
    return JobSpec(repository, LocalSource(path))


async def test_job_runs_to_its_end() -> None:
    """A queued job is taken, published and ends, and is counted."""
    service = Service()
    service.worker.scripts["shop"] = [PROGRESS, PUBLISHED, PUBLISHED]
    async with service.running():
        job = await service.start.run(spec(), "")
        done = await service.until(job.job_id, JobState.SUCCEEDED)

    assert (done.snapshot_id, done.counts.files, done.attempts) == ("a" * 64, 1, 1)
    assert service.metrics.ended == [done]
    assert service.metrics.served == [job.job_id]


async def test_failure_is_told_and_the_next_job_runs() -> None:
    """A failing worker ends its job with its message, a defect without its text; both are no end of the service."""
    service = Service()
    service.worker.scripts = {
        "bad": [JobFailed("no such branch")],
        "worse": [RuntimeError("secret")],
        "good": [PUBLISHED],
    }
    async with service.running():
        jobs = [await service.start.run(spec(name), "") for name in ("bad", "worse", "good")]
        bad, worse = [await service.until(job.job_id, JobState.FAILED) for job in jobs[:2]]
        await service.until(jobs[2].job_id, JobState.SUCCEEDED)

    assert bad.error == "no such branch"
    assert "secret" not in worse.error
    assert [str(error) for error in service.defects] == ["secret"]


async def test_two_jobs_of_one_repository_do_not_meet() -> None:
    """With room for several jobs, those of one repository still run one after the other."""
    service = Service(max_jobs=3)
    service.worker.scripts = {"shop": [None, PUBLISHED], "other": [None, PUBLISHED]}
    async with service.running():
        first = await service.start.run(spec(), "1")
        second = await service.start.run(spec(), "2")
        third = await service.start.run(spec("other"), "3")
        await service.until(third.job_id, JobState.RUNNING)
        waiting = (await service.board.get(second.job_id)).state
        service.worker.go.set()
        for job in (first, second, third):
            await service.until(job.job_id, JobState.SUCCEEDED)

    assert waiting == JobState.QUEUED
    assert [each.repository for each in service.worker.asked] == ["shop", "other", "shop"]


async def test_cancelled_job_ends_its_worker() -> None:
    """A running job stops at once, a waiting one never starts, an ended one stays."""
    service = Service()
    service.worker.scripts["shop"] = [PUBLISHED, None]
    async with service.running():
        running = await service.start.run(spec(), "1")
        waiting = await service.start.run(spec(), "2")
        await service.until(running.job_id, JobState.ENRICHING)
        states = [(await service.runner.cancel(job.job_id)).state for job in (waiting, running, running)]

    assert states == [JobState.CANCELLED] * 3
    assert service.worker.running == set()
    assert len(service.worker.asked) == 1
    assert (await service.board.get(running.job_id)).snapshot_id == "a" * 64


async def test_stopped_service_leaves_jobs_to_the_next() -> None:
    """A job that runs when the service stops is taken up by the next one, which says how often it was begun."""
    queue = MemoryJobQueue()
    first = Service(queue=queue)
    first.worker.scripts["shop"] = [None]
    async with first.running():
        job = await first.start.run(spec(), "")
        await first.until(job.job_id, JobState.RUNNING)
    left = queue.jobs[job.job_id]
    second = Service(queue=queue)
    second.worker.scripts["shop"] = [PUBLISHED]
    async with second.running():
        done = await second.until(job.job_id, JobState.SUCCEEDED)

    assert left.state == JobState.RUNNING
    assert done.attempts == 2


async def test_job_that_kills_its_service_again_and_again_fails() -> None:
    """After three begun attempts a job is not taken up any more."""
    service = Service()
    job = Job("job_9", spec(), FakeClock().now())
    for _ in range(3):
        job = job.started(FakeClock().now())
    service.queue.add(job)
    async with service.running():
        failed = await service.until("job_9", JobState.FAILED)

    assert "interrupted 3 times" in failed.error
    assert service.worker.asked == []


async def test_same_work_that_still_waits_is_one_job() -> None:
    """Without request id, a second request for what is queued gives the queued job; another source another job."""
    service = Service()
    first = await service.start.run(spec(), "")
    again = await service.start.run(spec(), "")
    other = await service.start.run(spec(path="/other"), "")

    assert first.job_id == again.job_id
    assert other.job_id != first.job_id


async def test_watch_gives_the_whole_job_at_once_and_ends_with_it() -> None:
    """The first message comes without any change; the last has a final state; states never go back."""
    service = Service()
    service.worker.scripts["shop"] = [PROGRESS, None, PUBLISHED]
    states = []
    async with service.running():
        job = await service.start.run(spec(), "")
        async with aclosing(watch_job(service.board, job.job_id)) as jobs:
            async for each in jobs:
                states.append(each.state)
                service.worker.go.set()

    assert states[0] in (JobState.QUEUED, JobState.RUNNING)
    assert states[-1] == JobState.SUCCEEDED
    assert states == sorted(states)


async def test_watch_of_a_job_that_is_removed_ends_with_not_found() -> None:
    """A watcher of a deleted repository's job learns that it is gone."""
    service = Service()
    job = await service.start.run(spec(), "")
    async with aclosing(watch_job(service.board, job.job_id)) as jobs:
        await anext(jobs)
        service.queue.remove("shop")
        service.board.notify(job.job_id)
        with pytest.raises(JobNotFound):
            await anext(jobs)
