"""What becomes of jobs while their changes cannot be written."""

from __future__ import annotations

from indexer.domain.errors import StorageFull
from indexer.domain.jobs import JobQuery, JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshot import Counts
from tests.fakes.indexer_service import JobService

PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


async def test_a_full_disk_does_not_keep_jobs_from_ending() -> None:
    """The job fails and says why though nothing can be written, the next one runs, and both are written later."""
    service = JobService()
    service.worker.scripts = {"shop": [None, StorageFull("full")], "other": [PUBLISHED]}
    async with service.running():
        first = await service.start.run(JobSpec("shop", LocalSource("/src")), "")
        second = await service.start.run(JobSpec("other", LocalSource("/src")), "")
        await service.until(first.job_id, JobState.RUNNING)
        service.queue.full = True
        service.worker.go.set()
        failed = await service.until(first.job_id, JobState.FAILED)
        done = await service.until(second.job_id, JobState.SUCCEEDED)
        unwritten = service.queue.jobs[first.job_id].state
        service.queue.full = False
        await service.board.get(first.job_id)
        written = [job.state for job in service.queue.jobs.values()]

    assert failed.error_reason == "ERROR_REASON_STORAGE_FULL"
    assert done.snapshot_id == PUBLISHED.snapshot_id
    assert unwritten == JobState.RUNNING
    assert written == [JobState.FAILED, JobState.SUCCEEDED]


async def test_a_removed_job_stays_gone() -> None:
    """A change that could not be written does not bring it back."""
    service = JobService()
    service.worker.scripts["shop"] = [None, PUBLISHED]
    async with service.running():
        job = await service.start.run(JobSpec("shop", LocalSource("/src")), "")
        await service.until(job.job_id, JobState.RUNNING)
        service.queue.full = True
        await service.runner.cancel(job.job_id)
        service.queue.finish_removal("shop")
        service.queue.full = False
        found = await service.board.find(JobQuery())

    assert found == ()
