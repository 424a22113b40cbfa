"""How a job ends is decided once, whatever comes while that is being written."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from indexer.domain.errors import JobFailed
from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshots.snapshot import Counts
from indexer.usecases.jobs.run import _Stop
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.fakes.indexer_service import JobService

SECONDS = 20.0
PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


class SlowQueue(MemoryJobQueue):
    """
    A queue on a disk that takes its time to write the first job which is in one state after having been begun.

    Args:
        held: That state.
    """

    def __init__(self, held: JobState) -> None:
        super().__init__()
        self._held: JobState | None = held
        self.writing, self.may_write = threading.Event(), threading.Event()
        self.reading, self.may_read = threading.Event(), threading.Event()
        self.may_read.set()

    def update(self, job: Job) -> None:
        """Keep a job, the one that is held not before it may be."""
        if job.state == self._held and (job.attempts or job.snapshot_id):
            self._held = None
            self.writing.set()
            assert self.may_write.wait(SECONDS)
        super().update(job)

    def get(self, job_id: str) -> Job | None:
        """Return a job as it was when this was called."""
        job = super().get(job_id)
        self.reading.set()
        assert self.may_read.wait(SECONDS)
        return job

    async def cancelled_meanwhile(self, service: JobService, job: Job, end: Callable[[], object]) -> Job:
        """Cancel a job that `end` leads to its end: it was looked up before, and is cancelled while that is written."""
        self.reading.clear()
        self.may_read.clear()
        cancelling = asyncio.create_task(service.runner.cancel(job.job_id))
        assert await asyncio.to_thread(self.reading.wait, SECONDS)
        end()
        assert await asyncio.to_thread(self.writing.wait, SECONDS)
        self.may_read.set()
        await turns()
        self.may_write.set()
        return await cancelling


def spec(repository: str) -> JobSpec:
    return JobSpec(repository, LocalSource("/src"))


async def turns() -> None:
    """Let whoever can go on do so, threads among them."""
    for _ in range(50):
        await asyncio.to_thread(int)


@pytest.mark.parametrize("state", [JobState.SUCCEEDED, JobState.FAILED])
async def test_cancelling_comes_too_late_while_the_end_is_being_written(state: JobState) -> None:
    """What was published, or why not, is told: to who cancels, in the queue, and where ends are counted."""
    queue = SlowQueue(state)
    service = JobService(queue=queue)
    last = PUBLISHED if state is JobState.SUCCEEDED else JobFailed("no room for vectors")
    service.worker.scripts["shop"] = [PUBLISHED, None, last]
    async with service.running():
        job = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        told = await queue.cancelled_meanwhile(service, job, service.worker.go.set)

    assert (told.state, queue.jobs[job.job_id].state) == (state, state)
    assert [each.state for each in service.metrics.ended] == [state]
    assert [each.state for each in service.ended] == [state]


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED])
async def test_jobs_set_aside_go_on_though_the_end_was_being_written(state: JobState) -> None:
    """Cancelling the one that came to nothing, or was cancelled before, does not make them forgotten."""
    queue = SlowQueue(state)
    async with JobService(queue=queue).running({"shop": [PUBLISHED, None]}) as service:
        first = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        service.worker.scripts["shop"] = [None, JobFailed("no such branch")]
        second = await service.begun(spec("shop"), "2", JobState.RUNNING)
        service.worker.scripts["shop"] = [PUBLISHED]
        end, go = service.runner._runs[second.job_id].end, service.worker.go.set
        told = await queue.cancelled_meanwhile(
            service, second, go if state is JobState.FAILED else lambda: end(_Stop.CANCELLED)
        )
        async with asyncio.timeout(SECONDS):
            resumed = await service.until(first.job_id, JobState.SUCCEEDED)

    assert (told.state, resumed.superseded_by) == (state, "")
    assert [each.job_id for each in service.metrics.ended] == [second.job_id, first.job_id]


async def test_another_repository_does_not_put_back_what_is_done() -> None:
    """It waits until the end is written; the job is done once, and never leaves its final state."""
    queue = SlowQueue(JobState.SUCCEEDED)
    async with JobService(queue=queue).running({"shop": [PUBLISHED], "other": [PUBLISHED]}) as service:
        first = await service.start.run(spec("shop"), "1")
        assert await asyncio.to_thread(queue.writing.wait, SECONDS)
        service.runner._runs[first.job_id].end(_Stop.PUT_BACK)
        await turns()
        queue.may_write.set()
        await service.begun(spec("other"), "2", JobState.SUCCEEDED)
        kept = await service.board.get(first.job_id)

    assert kept.state == JobState.SUCCEEDED
    assert [each.repository for each in service.worker.asked] == ["shop", "other"]


async def test_the_first_end_of_a_job_stays() -> None:
    """Who read a job before it ended does not end it a second time, nor is that counted."""
    service = JobService()
    job = await service.start.run(spec("shop"), "1")
    succeeded = job.started(service.clock.now()).ended(JobState.SUCCEEDED, service.clock.now())
    ends = [await service.board.end(each) for each in (succeeded, job.ended(JobState.CANCELLED, service.clock.now()))]
    await service.board.update(job.put_back())

    assert ends == [True, False]
    assert (await service.board.get(job.job_id)).state == JobState.SUCCEEDED


async def test_a_task_cancelled_before_it_ran_leaves_its_place() -> None:
    """In the moment between being chosen and being begun: neither room nor repository stay taken."""
    async with JobService().running({"shop": [PUBLISHED]}) as service, asyncio.timeout(SECONDS):
        job = await service.start.run(spec("shop"), "1")
        while job.job_id not in service.runner._runs:  # noqa: ASYNC110 - not a moment later than it is there
            await asyncio.sleep(0)
        service.runner._runs[job.job_id].end(_Stop.SET_ASIDE)
        done = await service.until(job.job_id, JobState.SUCCEEDED)

    assert (done.attempts, service.worker.asked) == (1, [job.spec])
