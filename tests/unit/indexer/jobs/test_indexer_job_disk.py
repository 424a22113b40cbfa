"""What becomes of jobs while their changes cannot be written."""

from __future__ import annotations

import pytest

from common.core.errors import AppError
from indexer.domain.errors import StorageFull, StorageRefused
from indexer.domain.jobs import JobQuery, JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshots.snapshot import Counts
from tests.fakes.indexer_service import JobService

PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


@pytest.mark.parametrize("refusal", [StorageFull("full"), StorageRefused("read-only")])
async def test_a_disk_that_takes_nothing_does_not_keep_jobs_from_ending(refusal: AppError) -> None:
    """The job fails and says why though nothing can be written, the next one runs, and both are written later."""
    async with JobService().running({"shop": [None, refusal], "other": [PUBLISHED]}) as service:
        first = await service.start.run(JobSpec("shop", LocalSource("/src")), "")
        second = await service.start.run(JobSpec("other", LocalSource("/src")), "")
        await service.until(first.job_id, JobState.RUNNING)
        service.queue.refusal = refusal
        service.worker.go.set()
        failed = await service.until(first.job_id, JobState.FAILED)
        done = await service.until(second.job_id, JobState.SUCCEEDED)
        listed = [job.state for job in await service.board.find(JobQuery())]
        unwritten = service.queue.jobs[first.job_id].state
        service.queue.refusal = None
        await service.board.get(first.job_id)
        written = [job.state for job in service.queue.jobs.values()]

    assert failed.error_reason == refusal.reason
    assert listed == [JobState.SUCCEEDED, JobState.FAILED]
    assert done.snapshot_id == PUBLISHED.snapshot_id
    assert unwritten == JobState.RUNNING
    assert written == [JobState.FAILED, JobState.SUCCEEDED]


async def test_a_removed_job_stays_gone() -> None:
    """A change that could not be written does not bring it back."""
    async with JobService().running({"shop": [None, PUBLISHED]}) as service:
        job = await service.begun(JobSpec("shop", LocalSource("/src")), "", JobState.RUNNING)
        service.queue.refusal = StorageFull("full")
        await service.runner.cancel(job.job_id)
        service.queue.finish_removal("shop")
        service.queue.refusal = None
        found = await service.board.find(JobQuery())

    assert not found
