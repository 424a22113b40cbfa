"""What every queue of jobs does."""

from __future__ import annotations

import dataclasses
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.domain.errors import RequestIdReused, StorageRefused
from indexer.domain.jobs import GitSource, Job, JobQuery, JobSpec, JobState, LocalSource, Phase, Progress
from indexer.domain.snapshots.snapshot import Counts
from indexer.domain.tree import SkipReason
from tests.fakes.failing_disk import failing_disk
from tests.fakes.indexer_jobs import MemoryJobQueue

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Queue = MemoryJobQueue | SqliteJobQueue


@pytest.fixture(params=["memory", "sqlite"])
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queue]:
    """Return each implementation in turn, empty."""
    if request.param == "memory":
        yield MemoryJobQueue()
        return
    made = SqliteJobQueue(tmp_path / "jobs.db")
    yield made
    made.close()


def job(number: int, repository: str = "shop", request_id: str = "") -> Job:
    return Job(f"job_{number}", JobSpec(repository, LocalSource("/src")), NOW, request_id)


def test_jobs_come_back_as_they_were_kept(queue: Queue) -> None:
    """Every field survives, those of a git source too."""
    full = dataclasses.replace(
        job(1),
        spec=JobSpec("shop", GitSource("https://u:p@h/x.git", "main"), ("*.md",), without_vectors=True),
        state=JobState.RUNNING,
        attempts=2,
        progress=Progress(Phase.PARSING, 3, 10, 1.5),
        counts=Counts(files=4, skipped={SkipReason.BINARY: 2}),
        snapshot_id="a" * 64,
        unchanged=True,
        error="no",
        error_reason="ERROR_REASON_INTERNAL",
        superseded_by="job_9",
        start_time=NOW,
        end_time=NOW,
    )
    queue.add(job(1))
    queue.add(job(2))
    queue.update(dataclasses.replace(full, spec=job(1).spec))
    queue.add(dataclasses.replace(full, job_id="job_3"))

    assert queue.get("job_1") == dataclasses.replace(full, spec=job(1).spec)
    assert queue.get("job_2") == job(2)
    assert queue.get("job_3") == dataclasses.replace(full, job_id="job_3")
    assert queue.get("job_4") is None


def test_same_request_gives_the_same_job(queue: Queue) -> None:
    """A request id is taken once; for another source it is refused."""
    queue.add(job(1, request_id="r"))
    again = queue.add(job(2, request_id="r"))

    assert again.job_id == "job_1"
    assert queue.get("job_2") is None
    with pytest.raises(RequestIdReused):
        queue.add(job(3, repository="other", request_id="r"))


def test_jobs_without_request_id_are_all_kept(queue: Queue) -> None:
    """No request id is no request id: such jobs never meet."""
    queue.add(job(1))
    queue.add(job(2))

    assert len(queue.find(JobQuery())) == 2


def test_jobs_are_found_newest_first_by_repository_and_state(queue: Queue) -> None:
    """Filters and pages work together."""
    for number in range(1, 6):
        queue.add(job(number, "shop" if number % 2 else "other"))
    queue.update(job(3).started(NOW))

    def ids(query: JobQuery) -> list[str]:
        return [each.job_id for each in queue.find(query)]

    assert ids(JobQuery()) == ["job_5", "job_4", "job_3", "job_2", "job_1"]
    assert ids(JobQuery("shop")) == ["job_5", "job_3", "job_1"]
    assert ids(JobQuery(states=(JobState.RUNNING,))) == ["job_3"]
    assert ids(JobQuery(limit=2, before=4)) == ["job_3", "job_2"]
    assert ids(JobQuery("shop", before=3)) == ["job_1"]


def test_pages_go_on_where_the_last_one_ended_though_its_job_is_gone(queue: Queue) -> None:
    """A place is kept, not a job: a repository that is removed meanwhile takes nobody else's jobs along."""
    for number in range(1, 5):
        queue.add(job(number, "gone" if number == 3 else "shop"))
    first = queue.find(JobQuery(limit=2))
    queue.finish_removal("gone")
    rest = queue.find(JobQuery(before=first[-1].number))

    assert [each.job_id for each in first] == ["job_4", "job_3"]
    assert [each.job_id for each in rest] == ["job_2", "job_1"]


def test_a_job_has_its_number_however_it_is_read(queue: Queue) -> None:
    """From the moment that it is kept, and when it has changed."""
    added = [queue.add(job(number)) for number in (1, 2)]
    queue.update(added[1].started(NOW))

    assert [each.number for each in added] == [1, 2]
    assert [each.number for each in (*queue.find(JobQuery()), *queue.waiting(()))] == [2, 1, 1]
    assert (found := queue.get("job_2")) is not None
    assert found.number == 2


def test_what_is_gone_stays_gone(queue: Queue) -> None:
    """An update does not bring back a removed job; removal is by repository."""
    queue.add(job(1))
    queue.add(job(2, "other"))
    queue.finish_removal("shop")
    queue.update(job(1))

    assert queue.get("job_1") is None
    assert queue.get("job_2") is not None


def test_a_final_state_stays(queue: Queue) -> None:
    """Whoever read the job before it ended does not take that back."""
    ended = job(1).ended(JobState.SUCCEEDED, NOW)
    queue.add(job(1))
    for each in (ended, job(1).ended(JobState.CANCELLED, NOW), job(1)):
        queue.update(each)

    assert queue.get("job_1") == ended


def test_the_first_of_each_repository_waits_the_oldest_first(queue: Queue) -> None:
    """Those that run or have ended wait no more, nor do those that are left out."""
    for number, name in enumerate(("busy", "shop", "busy", "alpha", "shop", "done", "left")):
        queue.add(job(number, name))
    queue.update(job(0, "busy").started(NOW))
    queue.update(job(5, "done").ended(JobState.SUCCEEDED, NOW))

    assert [each.job_id for each in queue.waiting(())] == ["job_1", "job_2", "job_3", "job_6"]
    assert [each.job_id for each in queue.waiting(("job_1", "job_6"))] == ["job_2", "job_3", "job_4"]


def test_nothing_waits_in_an_empty_queue(queue: Queue) -> None:
    """That is no error."""
    queue.add(job(1).started(NOW))

    assert not queue.waiting(())


def test_looking_for_what_waits_costs_the_same_however_much_does(tmp_path: Path) -> None:
    """A repository with thousands of jobs in front of it is looked at once."""
    steps = {}
    for count in (2, 2000):
        with closing(SqliteJobQueue(tmp_path / f"{count}.db")) as queue:
            for number in range(count):
                queue.add(job(number, "busy"))
            queue.add(job(count, "shop"))
            seen: list[None] = []
            queue._connection.set_progress_handler(lambda seen=seen: seen.append(None), 1)  # type: ignore[misc]  # a default for the loop
            found = [each.spec.repository for each in queue.waiting(())]
            queue._connection.set_progress_handler(None, 1)
            steps[count] = len(seen), found

    assert steps[2] == steps[2000]
    assert steps[2][1] == ["busy", "shop"]


def test_removals_are_remembered_until_they_are_finished(queue: Queue) -> None:
    """Begun twice is begun once; finishing one leaves the others; jobs stay until then."""
    queue.add(job(1))
    for name in ("shop", "other", "shop"):
        queue.begin_removal(name)
    begun = queue.removals()
    waiting = queue.get("job_1")
    queue.finish_removal("shop")

    assert begun == ("other", "shop")
    assert waiting == job(1)
    assert queue.removals() == ("other",)
    assert queue.get("job_1") is None


def test_git_urls_are_told_by_repository(queue: Queue) -> None:
    """Each URL once for each repository; folders are no URLs."""
    for number, (name, url) in enumerate((("b", "https://h/x"), ("a", "https://h/y"), ("b", "https://h/x"))):
        queue.add(dataclasses.replace(job(number), spec=JobSpec(name, GitSource(url))))
    queue.add(job(9))

    assert queue.git_urls() == {"a": ["https://h/y"], "b": ["https://h/x"]}


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    """URLs may hold passwords, and what was written lately stands beside the file for a while; the folder is made."""
    queue = SqliteJobQueue(tmp_path / "indexer" / "jobs.db")
    queue.add(job(1))
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "indexer").iterdir()}
    queue.close()

    assert modes == dict.fromkeys(("jobs.db", "jobs.db-shm", "jobs.db-wal"), 0o600)


def test_a_removal_that_breaks_off_is_still_noted(tmp_path: Path) -> None:
    """The note goes last: without it nobody would finish what is left."""
    queue = SqliteJobQueue(tmp_path / "jobs.db")
    queue.add(job(1))
    queue.begin_removal("shop")
    with closing(sqlite3.connect(tmp_path / "jobs.db", isolation_level=None)) as other:
        other.execute("CREATE TRIGGER broken BEFORE DELETE ON jobs BEGIN SELECT RAISE(ABORT, 'broken off'); END")
    with pytest.raises(sqlite3.IntegrityError, match="broken off"):
        queue.finish_removal("shop")
    removals = queue.removals()
    queue.close()

    assert removals == ("shop",)


def test_a_disk_that_fails_is_told_as_such_and_read_from(tmp_path: Path) -> None:
    """Whatever changes is refused with the disk's reason; what is kept can be read, and written later."""
    queue = SqliteJobQueue(tmp_path / "jobs.db")
    queue.add(job(1))
    running = dataclasses.replace(job(1), state=JobState.RUNNING)
    with failing_disk():
        for change in (
            lambda: queue.update(running),
            lambda: queue.add(job(2)),
            lambda: queue.begin_removal("shop"),
            lambda: queue.finish_removal("shop"),
        ):
            with pytest.raises(StorageRefused, match="disk"):
                change()
        kept, removals = queue.find(JobQuery()), queue.removals()
    queue.update(running)
    later = queue.get("job_1")
    queue.close()

    assert kept == (job(1),)
    assert removals == ()
    assert later == running
