"""Edits that follow each other without a pause: each is shown, and the exact snapshot comes in between."""

from __future__ import annotations

import dataclasses

from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource, Published
from indexer.domain.snapshots.snapshot import Counts
from tests.fakes.indexer_service import JobService

EXACT = Published("e" * 64, unchanged=False, counts=Counts(files=1))


def shown(number: int) -> Published:
    return dataclasses.replace(EXACT, snapshot_id=str(number) * 64, provisional=True)


async def edit(service: JobService, number: int) -> Job:
    return await service.start.run(JobSpec("shop", LocalSource(f"/{number}")), "")


async def test_the_exact_snapshot_is_put_off_for_a_minute_at_most() -> None:
    """
    An edit 59 s after the first one is shown at once; the next one, a second later, waits for the exact snapshot.

    From there on the time counts anew.
    """
    async with JobService(max_jobs=2).running(
        {
            "/other": [EXACT],
            "/1": [shown(1), None],
            "/2": [shown(2), None, EXACT, None],
            "/3": [shown(3), None],
            "/4": [shown(4), EXACT],
        }
    ) as service:
        first = await edit(service, 1)
        await service.until_shown(first.job_id)
        service.clock.advance(59)
        second = await edit(service, 2)
        await service.until_shown(second.job_id)
        service.clock.advance(1)
        third = await edit(service, 3)
        other = await service.start.run(JobSpec("other", LocalSource("/other")), "")
        await service.until(other.job_id, JobState.SUCCEEDED)  # so the third was looked at too
        waiting = await service.board.get(third.job_id)
        service.worker.go.set()
        exact = await service.until(second.job_id, JobState.SUCCEEDED)
        await service.until(third.job_id, JobState.SUCCEEDED)
        service.clock.advance(3600)
        fourth = await edit(service, 4)
        done = await service.until(fourth.job_id, JobState.SUCCEEDED)

    assert waiting.state == JobState.QUEUED
    assert (exact.snapshot_id, exact.provisional) == (EXACT.snapshot_id, False)
    assert done.snapshot_id == EXACT.snapshot_id


async def test_an_exact_snapshot_lets_edits_be_shown_at_once_again() -> None:
    """However long ago the first edit was."""
    async with JobService().running(
        {"/1": [shown(1), EXACT], "/2": [shown(2), None, EXACT], "/3": [shown(3), EXACT]}
    ) as service:
        first = await edit(service, 1)
        await service.until(first.job_id, JobState.SUCCEEDED)
        service.clock.advance(3600)
        second = await edit(service, 2)
        await service.until_shown(second.job_id)
        third = await edit(service, 3)
        done = await service.until(third.job_id, JobState.SUCCEEDED)
        superseded = await service.until(second.job_id, JobState.SUCCEEDED)

    assert done.snapshot_id == EXACT.snapshot_id
    assert (superseded.snapshot_id, superseded.superseded_by) == (shown(2).snapshot_id, third.job_id)
