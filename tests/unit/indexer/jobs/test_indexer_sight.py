"""Jobs of repositories that the caller may not see are as if they were not there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from indexer.domain.errors import JobNotFound
from indexer.domain.jobs import Job, JobQuery, JobSpec, JobState, LocalSource
from indexer.usecases.jobs.board import JobBoard
from tests.fakes.indexer_jobs import MemoryJobQueue


class Sights:
    """Sees one repository."""

    def __init__(self, seen: str) -> None:
        self.seen = seen

    def sees(self, repository: str) -> bool:
        return repository == self.seen

    def admits(self, repository: str) -> bool:
        return self.sees(repository)


async def board_of(repositories: Sequence[str], seen: str) -> JobBoard:
    """Return a board with a job for each repository, the first one the oldest."""
    board = JobBoard(MemoryJobQueue(), Sights(seen))
    for number, name in enumerate(repositories):
        spec = JobSpec(name, LocalSource("/src"))
        await board.add(Job(f"job_{number}", spec, datetime(2026, 1, 1, tzinfo=UTC)))
    return board


async def names(board: JobBoard, **query: object) -> list[str]:
    return [job.job_id for job in await board.find(JobQuery(**query))]  # type: ignore[arg-type]


async def test_pages_are_full_of_what_may_be_seen() -> None:
    """However many others lie between, a page has as many as it may, and the next goes on behind it."""
    board = await board_of(["alpha", *["beta"] * 7, "alpha", *["beta"] * 7, "alpha"], "alpha")

    assert await names(board, limit=2) == ["job_16", "job_8"]
    assert await names(board, limit=2, before=9) == ["job_0"]
    assert await names(board, limit=50) == ["job_16", "job_8", "job_0"]
    assert await names(board, repository="beta") == []


async def test_a_job_that_may_not_be_seen_is_unknown() -> None:
    """By its id as by an invented one."""
    board = await board_of(["alpha", "beta"], "alpha")
    told = []
    for identity in ("job_1", "job_9"):
        with pytest.raises(JobNotFound) as raised:
            await board.get(identity)
        told.append(raised.value.message.replace(identity, "ID"))

    assert told[0] == told[1]
    assert (await board.get("job_0")).state is JobState.QUEUED
