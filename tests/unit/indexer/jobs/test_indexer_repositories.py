"""What the list of repositories says of their jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource
from indexer.domain.snapshots.snapshot import SnapshotSet
from indexer.usecases.jobs.board import JobBoard
from indexer.usecases.snapshots import Snapshots
from tests.fakes.indexer_jobs import MemoryJobQueue

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class NothingPublished:
    """A store without a set of its own; some repositories were announced."""

    def __init__(self, *announced: str) -> None:
        self._announced = announced

    def repositories(self) -> Sequence[str]:
        """Return those that readers know of."""
        return self._announced

    def current(self, repository: str) -> SnapshotSet | None:
        """Return nothing."""
        return None

    def sets(self, repository: str) -> Sequence[SnapshotSet]:
        """Return nothing."""
        return ()

    def rollback(self, repository: str, snapshot_id: str) -> SnapshotSet:
        """Never."""
        raise NotImplementedError


async def active_jobs(jobs: Sequence[Job], *announced: str) -> dict[str, str]:
    """Return the job of each repository that is told."""
    queue = MemoryJobQueue()
    for job in jobs:
        queue.add(job)
    store = NothingPublished(*announced)
    states = await Snapshots(store, store, JobBoard(queue)).repositories()  # type: ignore[arg-type]  # what it needs
    return {state.repository: state.active_job_id for state in states}


def job(number: int, repository: str, state: JobState = JobState.QUEUED) -> Job:
    return replace(Job(f"job_{number}", JobSpec(repository, LocalSource("/src")), NOW), state=state)


async def test_thousands_of_jobs_hide_none_of_another_repository() -> None:
    """The oldest are at work: who comes late with many does not take them off the list."""
    busy = [job(number, "busy") for number in range(2, 2002)]
    found = await active_jobs([job(0, "shop", JobState.RUNNING), job(1, "alpha"), *busy], "shop")

    assert found == {"alpha": "job_1", "busy": "job_2", "shop": "job_0"}


@pytest.mark.parametrize("begun", [JobState.RUNNING, JobState.ENRICHING])
async def test_what_is_worked_on_is_told_before_what_waits(begun: JobState) -> None:
    """And what runs before what only adds to what is published."""
    found = await active_jobs([job(0, "shop"), job(1, "shop", begun), job(2, "shop"), job(3, "old", JobState.FAILED)])
    both = await active_jobs([job(0, "shop", JobState.ENRICHING), job(1, "shop", JobState.RUNNING)])

    assert found == {"shop": "job_1"}
    assert both == {"shop": "job_1"}
