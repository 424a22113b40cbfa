"""What becomes of jobs that are in each other's way, take too long, or whose repository is removed."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

import pytest

from common.core.errors import DependencyUnavailable
from indexer.domain.errors import JobFailed, RepositoryNotFound
from indexer.domain.jobs import GitSource, JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshots.snapshot import Counts
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.fakes.indexer_service import JobService, Shelves

OLD = Published("a" * 64, unchanged=False, counts=Counts(files=1))
NEW = Published("b" * 64, unchanged=False, counts=Counts(files=2))


def spec(path: str = "/old", repository: str = "shop") -> JobSpec:
    return JobSpec(repository, LocalSource(path))


async def test_a_new_job_does_not_wait_for_the_later_layers_of_the_one_before() -> None:
    """Once its core serves, a job makes room; when the new one serves, the old one is done, and says by whom."""
    async with JobService().running({"/old": [OLD, None], "/new": [NEW]}) as service:
        old = await service.begun(spec(), "", JobState.ENRICHING)
        new = await service.start.run(spec("/new"), "")
        done = await service.until(new.job_id, JobState.SUCCEEDED)
        superseded = await service.until(old.job_id, JobState.SUCCEEDED)

    assert (done.snapshot_id, done.superseded_by) == ("b" * 64, "")
    assert (superseded.snapshot_id, superseded.superseded_by) == ("a" * 64, new.job_id)
    assert service.worker.most_running == 1
    assert service.metrics.served == [old.job_id, new.job_id]


async def test_edits_that_follow_each_other_are_each_shown_at_once() -> None:
    """A job whose edit is shown makes room before all is linked again; the last one makes the exact snapshot."""
    shown = [dataclasses.replace(OLD, snapshot_id=each * 64, provisional=True) for each in "123"]
    async with JobService().running(
        {"/1": [shown[0], None, OLD], "/2": [shown[1], None, OLD], "/3": [shown[2], NEW]}
    ) as service:
        first = await service.start.run(spec("/1"), "")
        await service.until_shown(first.job_id)
        second = await service.start.run(spec("/2"), "")
        await service.until_shown(second.job_id)
        done = await service.begun(spec("/3"), "", JobState.SUCCEEDED)
        before = [await service.until(each.job_id, JobState.SUCCEEDED) for each in (first, second)]

    assert (done.snapshot_id, done.provisional) == ("b" * 64, False)
    assert [(each.snapshot_id[0], each.provisional, each.superseded_by) for each in before] == [
        ("1", True, done.job_id),
        ("2", True, done.job_id),
    ]
    assert service.worker.most_running == 1
    assert service.metrics.served == [first.job_id, second.job_id, done.job_id]


async def test_shown_edits_are_linked_if_their_successor_comes_to_nothing() -> None:
    """The jobs that made room are done again, one after the other."""
    shown = dataclasses.replace(OLD, provisional=True)
    async with JobService().running({"/old": [shown, None, OLD], "/new": [JobFailed("no such folder")]}) as service:
        old = await service.start.run(spec(), "")
        await service.until_shown(old.job_id)
        await service.begun(spec("/new"), "", JobState.FAILED)
        service.worker.go.set()
        done = await service.until(old.job_id, JobState.SUCCEEDED)

    assert (done.snapshot_id, done.provisional, done.superseded_by) == ("a" * 64, False, "")


async def test_a_job_goes_on_if_the_one_that_it_made_room_for_comes_to_nothing() -> None:
    """After a failure before publication the later layers of the old job are made after all."""
    async with JobService().running({"/old": [OLD, None], "/new": [JobFailed("no such folder")]}) as service:
        old = await service.begun(spec(), "", JobState.ENRICHING)
        await service.begun(spec("/new"), "", JobState.FAILED)
        service.worker.go.set()
        done = await service.until(old.job_id, JobState.SUCCEEDED)

    assert (done.superseded_by, done.attempts) == ("", 1)
    assert [each.source for each in service.worker.asked] == [LocalSource(path) for path in ("/old", "/new", "/old")]
    assert service.metrics.served == [old.job_id]


async def test_a_job_that_was_set_aside_can_be_cancelled() -> None:
    """It has no worker then, and does not come back when its successor fails."""
    async with JobService().running({"/old": [OLD, None], "/new": [None, JobFailed("gone")]}) as service:
        old = await service.begun(spec(), "", JobState.ENRICHING)
        new = await service.begun(spec("/new"), "", JobState.RUNNING)
        cancelled = await service.runner.cancel(old.job_id)
        service.worker.go.set()
        await service.until(new.job_id, JobState.FAILED)

    assert cancelled.state == JobState.CANCELLED
    assert (await service.board.get(old.job_id)).state == JobState.CANCELLED


async def test_a_job_without_core_does_not_make_room() -> None:
    """Before publication the second job waits, whoever else has room."""
    async with JobService(max_jobs=2).running({"/old": [None, OLD], "/new": [NEW], "other": [NEW]}) as service:
        old = await service.start.run(spec(), "")
        new = await service.start.run(spec("/new"), "")
        await service.begun(spec("/x", "other"), "", JobState.SUCCEEDED)
        waiting = await service.board.get(new.job_id)
        service.worker.go.set()
        await service.until(new.job_id, JobState.SUCCEEDED)

    assert waiting.state == JobState.QUEUED
    assert (await service.board.get(old.job_id)).state == JobState.SUCCEEDED


@pytest.mark.parametrize(
    ("events", "text"), [([None], "what was published stays"), ([OLD, None], "its snapshot serves")]
)
async def test_a_job_over_its_time_fails(events: list[Published | None], text: str) -> None:
    """With a reason for programs and what to do for people; its worker is ended, and the next job runs."""
    async with JobService(job_seconds=0.05).running({"/old": list(events), "/new": [NEW]}) as service:
        failed = await service.begun(spec(), "", JobState.FAILED)
        running = set(service.worker.running)
        await service.begun(spec("/new"), "", JobState.SUCCEEDED)

    assert failed.error_reason == "ERROR_REASON_DEADLINE_EXCEEDED"
    assert failed.error.startswith("took longer than 0.05 seconds; ")
    assert text in failed.error
    assert "job_seconds" in failed.error
    assert failed.snapshot_id == ("a" * 64 if events[0] else "")
    assert running == set()


async def test_removal_takes_everything_and_leaves_what_others_use() -> None:
    """All places are told, with the URLs of the repository and those of the others; its jobs are ended and gone."""
    service = JobService(shelves=Shelves(published={"shop"}))
    service.worker.scripts["https://h/x.git"] = [OLD, None]
    async with service.running():
        other = await service.begun(JobSpec("other", GitSource("https://h/y.git")), "", JobState.SUCCEEDED)
        await service.begun(JobSpec("shop", GitSource("https://h/x.git")), "", JobState.ENRICHING)
        removed = await service.remove.run("shop")

    assert removed == 2
    assert service.shelves.steps == [
        ("snapshots", "shop"),
        ("clones", (("https://h/x.git",), ("https://h/y.git",))),
        ("findings", "shop"),
        ("vectors", "shop"),
    ]
    assert service.worker.running == set()
    assert list(service.queue.jobs) == [other.job_id]
    assert service.queue.removing == set()


async def test_removal_ends_a_job_behind_a_thousand_others() -> None:
    """What is at work would publish the repository again."""
    service = JobService(shelves=Shelves(published={"shop"}))
    service.worker.scripts["/old"] = [None]
    async with service.running():
        job = await service.begun(spec(), "", JobState.RUNNING)
        for number in range(1000):
            service.queue.add(dataclasses.replace(job, job_id=f"later_{number}"))
        await service.remove.run("shop")

    assert service.worker.running == set()
    assert [each.job_id for each in service.metrics.ended].count(job.job_id) == 1


@pytest.mark.parametrize("step", ["snapshots", "findings", "clones", "vectors"])
@pytest.mark.parametrize("then", ["next start", "next call", "next job"])
async def test_a_removal_that_broke_off_is_finished(step: str, then: str) -> None:
    """Whatever step it broke off at: by the next start, the next call, or before the repository is indexed again."""
    queue, shelves = MemoryJobQueue(), Shelves(published={"shop"}, fails_at=step)
    first = JobService(queue=queue, shelves=shelves)
    await first.start.run(JobSpec("shop", GitSource("https://h/x.git")), "")
    with pytest.raises(DependencyUnavailable):
        await first.remove.run("shop")
    left = queue.removals()
    shelves.fails_at, shelves.steps = "", []
    second = JobService(queue=queue, shelves=shelves)
    if then == "next start":
        await second.remove.finish()
    elif then == "next call":
        await second.remove.run("shop")
    else:
        await second.start.run(spec("/again"), "")

    assert left == ("shop",)
    assert queue.removals() == ()
    assert ("clones", (("https://h/x.git",), ())) in shelves.steps
    assert [job.spec for job in queue.jobs.values()] == ([spec("/again")] if then == "next job" else [])


async def test_a_removal_that_broke_off_is_finished_when_all_answer_again() -> None:
    """Without a new start, and without another call."""
    service = JobService(shelves=Shelves(published={"shop"}, fails_at="vectors"))
    with pytest.raises(DependencyUnavailable):
        await service.remove.run("shop")
    left: list[Sequence[str]] = []

    async def sleep(seconds: float) -> None:
        left.append(service.queue.removals())
        if len(left) == 2:
            service.shelves.fails_at = ""
        if len(left) == 3:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await service.remove.keep_finishing(60.0, sleep)

    assert left == [("shop",), ("shop",), ()]


async def test_a_removal_that_still_fails_keeps_its_repository_from_being_indexed() -> None:
    """Else its leftovers would be taken for what is new; the start of the service goes on, and says so."""
    service = JobService(shelves=Shelves(published={"shop"}, fails_at="vectors"))
    with pytest.raises(DependencyUnavailable):
        await service.remove.run("shop")
    await service.remove.finish()
    with pytest.raises(DependencyUnavailable):
        await service.start.run(spec(), "")
    other = await service.start.run(spec("/x", "other"), "")

    assert [(name, error.message) for name, error in service.left] == [("shop", "no answer")]
    assert list(service.queue.jobs) == [other.job_id]


async def test_an_unknown_repository_is_not_found_and_leaves_no_trace() -> None:
    """Also when asked twice."""
    service = JobService()
    for _ in range(2):
        with pytest.raises(RepositoryNotFound):
            await service.remove.run("none")

    assert service.queue.removals() == ()
