"""A repository that cannot be asked about yet does not wait for vectors of another one."""

from __future__ import annotations

from indexer.domain.errors import JobFailed
from indexer.domain.jobs import JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshot import Counts
from tests.fakes.indexer_service import JobService

PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


def spec(repository: str) -> JobSpec:
    return JobSpec(repository, LocalSource("/src"))


async def test_vectors_of_one_repository_wait_for_the_core_of_another() -> None:
    """The job that has published is put back without counting as an attempt, and is done when there is room again."""
    service = JobService()
    service.worker.scripts = {"shop": [PUBLISHED, None], "other": [PUBLISHED]}
    async with service.running():
        first = await service.start.run(spec("shop"), "1")
        await service.until(first.job_id, JobState.ENRICHING)
        second = await service.start.run(spec("other"), "2")
        done = await service.until(second.job_id, JobState.SUCCEEDED)
        service.worker.go.set()
        resumed = await service.until(first.job_id, JobState.SUCCEEDED)

    assert [each.repository for each in service.worker.asked] == ["shop", "other", "shop"]
    assert (done.attempts, resumed.attempts, resumed.superseded_by) == (1, 1, "")


async def test_one_that_was_put_back_does_not_push_in() -> None:
    """Both have published: the one that came goes on to its end, and the two do not take turns for ever."""
    service = JobService()
    service.worker.scripts = {"shop": [PUBLISHED, None], "other": [PUBLISHED, None]}
    async with service.running():
        first = await service.start.run(spec("shop"), "1")
        await service.until(first.job_id, JobState.ENRICHING)
        second = await service.start.run(spec("other"), "2")
        await service.until(second.job_id, JobState.ENRICHING)
        put_back = await service.board.get(first.job_id)
        service.worker.go.set()
        for job in (first, second):
            await service.until(job.job_id, JobState.SUCCEEDED)

    assert (put_back.state, put_back.snapshot_id) == (JobState.QUEUED, "a" * 64)
    assert [each.repository for each in service.worker.asked] == ["shop", "other", "shop"]


async def test_one_that_has_not_published_is_not_disturbed() -> None:
    """Only later layers wait; a core that is being made is made."""
    service = JobService()
    service.worker.scripts = {"shop": [None, PUBLISHED], "other": [PUBLISHED]}
    async with service.running():
        first = await service.start.run(spec("shop"), "1")
        await service.until(first.job_id, JobState.RUNNING)
        second = await service.start.run(spec("other"), "2")
        waiting = await service.board.get(second.job_id)
        service.worker.go.set()
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert waiting.state == JobState.QUEUED
    assert [each.repository for each in service.worker.asked] == ["shop", "other"]


async def test_one_that_was_put_back_goes_on_after_a_failure_too() -> None:
    """What comes of the other repository is no matter."""
    service = JobService()
    service.worker.scripts = {"shop": [PUBLISHED, None], "other": [JobFailed("no such branch")]}
    async with service.running():
        first = await service.start.run(spec("shop"), "1")
        await service.until(first.job_id, JobState.ENRICHING)
        second = await service.start.run(spec("other"), "2")
        await service.until(second.job_id, JobState.FAILED)
        service.worker.go.set()
        resumed = await service.until(first.job_id, JobState.SUCCEEDED)

    assert resumed.snapshot_id == "a" * 64


async def test_one_that_was_put_back_can_be_cancelled() -> None:
    """It waits like any other, and is not begun again."""
    service = JobService()
    service.worker.scripts = {"shop": [PUBLISHED, None], "other": [PUBLISHED, None]}
    async with service.running():
        first = await service.start.run(spec("shop"), "1")
        await service.until(first.job_id, JobState.ENRICHING)
        second = await service.start.run(spec("other"), "2")
        await service.until(second.job_id, JobState.ENRICHING)
        cancelled = await service.runner.cancel(first.job_id)
        service.worker.go.set()
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert cancelled.state == JobState.CANCELLED
    assert [each.repository for each in service.worker.asked] == ["shop", "other"]
