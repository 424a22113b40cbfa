"""Whose turn it is: what cannot be asked about yet goes before vectors of others, and no two work in one repository."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from indexer.domain.errors import JobFailed
from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshots.snapshot import Counts
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.fakes.indexer_service import JobService

PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


def spec(repository: str) -> JobSpec:
    return JobSpec(repository, LocalSource("/src"))


async def test_vectors_of_one_repository_wait_for_the_core_of_another() -> None:
    """The job that has published is put back without counting as an attempt, and is done when there is room again."""
    async with JobService().running({"shop": [PUBLISHED, None], "other": [PUBLISHED]}) as service:
        first = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        done = await service.begun(spec("other"), "2", JobState.SUCCEEDED)
        service.worker.go.set()
        resumed = await service.until(first.job_id, JobState.SUCCEEDED)

    assert [each.repository for each in service.worker.asked] == ["shop", "other", "shop"]
    assert (done.attempts, resumed.attempts, resumed.superseded_by) == (1, 1, "")


async def test_one_that_was_put_back_does_not_push_in() -> None:
    """Both have published: the one that came goes on to its end, and the two do not take turns for ever."""
    async with JobService().running({"shop": [PUBLISHED, None], "other": [PUBLISHED, None]}) as service:
        first = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        second = await service.begun(spec("other"), "2", JobState.ENRICHING)
        put_back = await service.board.get(first.job_id)
        service.worker.go.set()
        for job in (first, second):
            await service.until(job.job_id, JobState.SUCCEEDED)

    assert (put_back.state, put_back.snapshot_id) == (JobState.QUEUED, "a" * 64)
    assert [each.repository for each in service.worker.asked] == ["shop", "other", "shop"]


async def test_one_that_has_not_published_is_not_disturbed() -> None:
    """Only later layers wait; a core that is being made is made."""
    async with JobService().running({"shop": [None, PUBLISHED], "other": [PUBLISHED]}) as service:
        await service.begun(spec("shop"), "1", JobState.RUNNING)
        second = await service.start.run(spec("other"), "2")
        waiting = await service.board.get(second.job_id)
        service.worker.go.set()
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert waiting.state == JobState.QUEUED
    assert [each.repository for each in service.worker.asked] == ["shop", "other"]


async def test_one_that_was_put_back_goes_on_after_a_failure_too() -> None:
    """What comes of the other repository is no matter."""
    async with JobService().running({"shop": [PUBLISHED, None], "other": [JobFailed("no such branch")]}) as service:
        first = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        await service.begun(spec("other"), "2", JobState.FAILED)
        service.worker.go.set()
        resumed = await service.until(first.job_id, JobState.SUCCEEDED)

    assert resumed.snapshot_id == "a" * 64


async def test_one_that_was_put_back_can_be_cancelled() -> None:
    """It waits like any other, and is not begun again."""
    async with JobService().running({"shop": [PUBLISHED, None], "other": [PUBLISHED, None]}) as service:
        first = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        second = await service.begun(spec("other"), "2", JobState.ENRICHING)
        cancelled = await service.runner.cancel(first.job_id)
        service.worker.go.set()
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert cancelled.state == JobState.CANCELLED
    assert [each.repository for each in service.worker.asked] == ["shop", "other"]


async def _given_time(service: JobService, job_id: str) -> None:
    """Let everything come to pass that may."""
    for _ in range(20):
        await service.board.get(job_id)


async def test_a_job_waits_until_the_worker_before_it_has_ended() -> None:
    """However long that takes: two at work in one repository would publish into each other."""
    service = JobService()
    service.worker.scripts = {"shop": [PUBLISHED, None]}
    service.worker.may_end.clear()
    async with service.running():
        await service.begun(spec("shop"), "1", JobState.ENRICHING)
        second = await service.start.run(spec("shop"), "2")
        await service.worker.ending.wait()
        await _given_time(service, second.job_id)
        begun = len(service.worker.asked)
        service.worker.may_end.set()
        service.worker.go.set()
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert begun == 1
    assert service.worker.most_running == 1


async def test_a_job_that_is_being_cancelled_makes_room_for_nobody() -> None:
    """It ends as it was told, undisturbed; the next one waits for that."""
    service = JobService()
    service.worker.scripts = {"shop": [PUBLISHED, None]}
    service.worker.may_end.clear()
    async with service.running():
        first = await service.begun(spec("shop"), "1", JobState.ENRICHING)
        cancelling = asyncio.create_task(service.runner.cancel(first.job_id))
        await service.worker.ending.wait()
        second = await service.start.run(spec("shop"), "2")
        await _given_time(service, second.job_id)
        service.worker.may_end.set()
        service.worker.go.set()
        cancelled = await cancelling
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert (cancelled.state, cancelled.superseded_by) == (JobState.CANCELLED, "")
    assert service.worker.most_running == 1


class _RemovedWhenChosen(MemoryJobQueue):
    """The queue of a service in which a repository is removed while one of its jobs is about to start."""

    def waiting(self, without: Sequence[str]) -> tuple[Job, ...]:
        """Return jobs; those of the repository are gone by then."""
        found = super().waiting(without)
        self.finish_removal("removed")
        return found


async def test_a_job_that_was_removed_while_it_was_chosen_does_not_start() -> None:
    """It would publish a repository that is not there any more."""
    async with JobService(queue=_RemovedWhenChosen()).running({"other": [PUBLISHED]}) as service:
        await service.start.run(spec("removed"), "1")
        await service.begun(spec("other"), "2", JobState.SUCCEEDED)

    assert [each.repository for each in service.worker.asked] == ["other"]


async def test_a_thousand_jobs_of_one_repository_hide_none_of_another() -> None:
    """Neither what was queued before them nor what came after waits for them all where there is room for two."""
    service = JobService(max_jobs=2)
    service.worker.scripts = {"busy": [None, PUBLISHED], "before": [PUBLISHED], "after": [PUBLISHED]}
    names = ["before", *["busy"] * 1001, "after"]
    for number, name in enumerate(names):
        service.queue.add(Job(f"job_{number}", spec(name), service.clock.now()))
    async with service.running():
        for number in (0, len(names) - 1):
            await service.until(f"job_{number}", JobState.SUCCEEDED)
        busy = [job.job_id for job in service.queue.jobs.values() if job.state == JobState.RUNNING]

    assert [each.repository for each in service.worker.asked] == ["before", "busy", "after"]
    assert busy == ["job_1"]
