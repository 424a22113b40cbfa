"""Starting, running, watching and cancelling jobs, without disk and processes."""

from __future__ import annotations

import dataclasses
from contextlib import aclosing
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from indexer.bootstrap import _log_end
from indexer.domain.errors import JobFailed, JobNotFound
from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource, Phase, Progress, Progressed, Published
from indexer.domain.snapshots.snapshot import Counts
from indexer.usecases.jobs.watch import watch_job
from tests.fakes.clock import FakeClock
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.fakes.indexer_service import JobService

PROGRESS = Progressed(Progress(Phase.PARSING, 1, 2, 1.0), Counts())
PUBLISHED = Published("a" * 64, unchanged=False, counts=Counts(files=1))


def spec(repository: str = "shop", path: str = "/src") -> JobSpec:
    return JobSpec(repository, LocalSource(path))


async def test_job_runs_to_its_end() -> None:
    """A queued job is taken, published and ends, and is counted."""
    async with JobService().running({"shop": [PROGRESS, PUBLISHED, PUBLISHED]}) as service:
        job = await service.start.run(spec(), "")
        done = await service.until(job.job_id, JobState.SUCCEEDED)

    assert (done.snapshot_id, done.counts.files, done.attempts) == ("a" * 64, 1, 1)
    assert service.metrics.ended == [done]
    assert service.metrics.served == [job.job_id]


@pytest.mark.parametrize("defect", [RuntimeError("secret"), TimeoutError("secret")])
async def test_failure_is_told_and_the_next_job_runs(defect: Exception) -> None:
    """A failing worker ends its job with its message, a defect without its text; both are no end of the service."""
    async with JobService().running(
        {
            "bad": [JobFailed("no such branch", "ERROR_REASON_SOURCE_UNAVAILABLE")],
            "worse": [defect],
            "good": [PUBLISHED],
        }
    ) as service:
        jobs = [await service.start.run(spec(name), "") for name in ("bad", "worse", "good")]
        bad, worse = [await service.until(job.job_id, JobState.FAILED) for job in jobs[:2]]
        await service.until(jobs[2].job_id, JobState.SUCCEEDED)

    assert (bad.error, bad.error_reason) == ("no such branch", "ERROR_REASON_SOURCE_UNAVAILABLE")
    assert worse.error_reason == "ERROR_REASON_INTERNAL"
    assert "secret" not in worse.error
    assert [str(error) for error in service.defects] == ["secret"]
    assert [each.spec.repository for each in service.ended] == ["bad", "worse", "good"]


async def test_the_end_of_a_job_is_logged() -> None:
    """With how long it took, a failure as a warning with its reason: who has the log alone can tell what serves."""
    async with JobService().running(
        {
            "bad": [JobFailed("no such branch", "ERROR_REASON_SOURCE_UNAVAILABLE")],
            "good": [PUBLISHED],
        }
    ) as service:
        jobs = [await service.start.run(spec(name), f"of {name}") for name in ("bad", "good")]
        bad = await service.until(jobs[0].job_id, JobState.FAILED)
        good = await service.until(jobs[1].job_id, JobState.SUCCEEDED)
    with capture_logs() as logs:
        _log_end(dataclasses.replace(bad, end_time=bad.start_time and bad.start_time + timedelta(seconds=1.5)))
        _log_end(good)

    told = [{key: each[key] for key in ("event", "log_level", "repository", "state", "reason")} for each in logs]
    assert told == [
        {
            "event": "job.ended",
            "log_level": "warning",
            "repository": "bad",
            "state": "failed",
            "reason": "ERROR_REASON_SOURCE_UNAVAILABLE",
        },
        {"event": "job.ended", "log_level": "info", "repository": "good", "state": "succeeded", "reason": ""},
    ]
    assert [(each["request_id"], each["snapshot_id"]) for each in logs] == [("of bad", ""), ("of good", "a" * 64)]
    assert logs[0]["seconds"] == 1.5


async def test_two_jobs_of_one_repository_do_not_meet() -> None:
    """With room for several jobs, those of one repository still run one after the other."""
    async with JobService(max_jobs=3).running({"shop": [None, PUBLISHED], "other": [None, PUBLISHED]}) as service:
        first = await service.start.run(spec(), "1")
        second = await service.start.run(spec(), "2")
        third = await service.begun(spec("other"), "3", JobState.RUNNING)
        waiting = (await service.board.get(second.job_id)).state
        service.worker.go.set()
        for job in (first, second, third):
            await service.until(job.job_id, JobState.SUCCEEDED)

    assert waiting == JobState.QUEUED
    assert [each.repository for each in service.worker.asked] == ["shop", "other", "shop"]


async def test_cancelled_job_ends_its_worker() -> None:
    """A running job stops at once, a waiting one never starts, an ended one stays."""
    async with JobService().running({"shop": [PROGRESS, None]}) as service:
        running = await service.start.run(spec(), "1")
        waiting = await service.start.run(spec("other"), "2")
        await service.until(running.job_id, JobState.RUNNING)
        states = [(await service.runner.cancel(job.job_id)).state for job in (waiting, running, running)]

    assert states == [JobState.CANCELLED] * 3
    assert service.worker.running == set()
    assert len(service.worker.asked) == 1


async def test_stopped_service_leaves_jobs_to_the_next() -> None:
    """A job that runs when the service stops waits for the next one, however often: stopping is no attempt of it."""
    queue = MemoryJobQueue()
    job = await JobService(queue=queue).start.run(spec(), "")
    for before, state in ((None, JobState.RUNNING), (PUBLISHED, JobState.ENRICHING), (PROGRESS, JobState.RUNNING)):
        stopped = JobService(queue=queue)
        stopped.worker.scripts["shop"] = [before, None] if before else [None]
        async with stopped.running():
            await stopped.until(job.job_id, state)
        left = queue.jobs[job.job_id]
        assert (left.state, left.attempts) == (JobState.QUEUED, 0)
    last = JobService(queue=queue)
    last.worker.scripts["shop"] = [PUBLISHED]
    async with last.running():
        done = await last.until(job.job_id, JobState.SUCCEEDED)

    assert done.attempts == 1


@pytest.mark.parametrize(("overtaken", "asked"), [(True, 0), (False, 1)])
async def test_interrupted_job_whose_core_is_not_current_any_more_is_done(overtaken: bool, asked: int) -> None:
    """Doing it again would publish it again, over the set that somebody went back to meanwhile."""
    service = JobService()
    service.worker.scripts["shop"] = [PUBLISHED]
    service.queue.add(Job("job_9", spec(), FakeClock().now()).started(FakeClock().now()).after(PUBLISHED))
    service.overtaken += [("shop", PUBLISHED.snapshot_id)] if overtaken else []
    async with service.running():
        done = await service.until("job_9", JobState.SUCCEEDED)

    assert done.snapshot_id == PUBLISHED.snapshot_id
    assert len(service.worker.asked) == asked


async def test_job_that_kills_its_service_again_and_again_fails() -> None:
    """After three begun attempts a job is not taken up any more."""
    service = JobService()
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
    service = JobService()
    first = await service.start.run(spec(), "")
    again = await service.start.run(spec(), "")
    other = await service.start.run(spec(path="/other"), "")

    assert first.job_id == again.job_id
    assert other.job_id != first.job_id


async def test_a_change_during_a_job_is_not_missed() -> None:
    """The same work is queued again once a job runs or serves: it may have read the source before the change."""
    async with JobService().running({"shop": [None, PUBLISHED]}) as service:
        first = await service.begun(spec(), "", JobState.RUNNING)
        second = await service.start.run(spec(), "")
        service.worker.go.set()
        await service.until(second.job_id, JobState.SUCCEEDED)

    assert second.job_id != first.job_id
    assert [each.repository for each in service.worker.asked] == ["shop", "shop"]


async def test_a_job_that_waits_to_make_later_layers_is_not_joined() -> None:
    """It would end without reading the source if somebody went back to another snapshot meanwhile."""
    service = JobService()
    service.worker.scripts["shop"] = [PUBLISHED]
    service.queue.add(Job("job_9", spec(), FakeClock().now()).started(FakeClock().now()).after(PUBLISHED).put_back())
    service.overtaken.append(("shop", PUBLISHED.snapshot_id))
    async with service.running():
        asked = await service.start.run(spec(), "")
        done = await service.until(asked.job_id, JobState.SUCCEEDED)

    assert done.job_id != "job_9"
    assert len(service.worker.asked) == 1


async def test_watch_gives_the_whole_job_at_once_and_ends_with_it() -> None:
    """The first message comes without any change; the last has a final state; states never go back."""
    service = JobService()
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
    service = JobService()
    job = await service.start.run(spec(), "")
    async with aclosing(watch_job(service.board, job.job_id)) as jobs:
        await anext(jobs)
        service.queue.finish_removal("shop")
        service.board.notify(job.job_id)
        with pytest.raises(JobNotFound):
            await anext(jobs)
