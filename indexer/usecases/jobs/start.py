"""Queues an indexing job."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from common.core.runtime.concurrency import run_to_completion
from common.core.visibility import EVERYTHING
from indexer.domain.errors import RepositoryDenied
from indexer.domain.jobs import Job, JobQuery, JobSpec, JobState

if TYPE_CHECKING:
    from common.core.clock import Clock
    from common.core.ids import IdSource
    from common.core.visibility import Visibility
    from indexer.ports import RepositoryAnnouncer, SourceOpener
    from indexer.usecases.jobs.board import JobBoard
    from indexer.usecases.jobs.remove_repository import RemoveRepository
    from indexer.usecases.jobs.run import JobRunner


@dataclass(frozen=True, slots=True)
class StartJob:
    """
    Queues jobs; returns an existing job instead if it has the same request id, or is still queued for the same work.

    A running job is never returned for the same work: it may have read the source before the caller's last change. Nor
    is a queued job that has published and only has later layers to make: it does not read the source again if another
    core is current by then.
    """

    sources: SourceOpener
    board: JobBoard
    runner: JobRunner
    readers: RepositoryAnnouncer
    clock: Clock
    ids: IdSource
    removals: RemoveRepository
    visibility: Visibility = EVERYTHING

    async def run(self, spec: JobSpec, request_id: str) -> Job:
        """
        Queue a job, and return it or the existing one.

        Raises RepositoryDenied, SourceRefused, SourceUnavailable, RequestIdReused; DependencyUnavailable if an earlier
        removal of the repository cannot be finished.
        """
        if not self.visibility.admits(spec.repository):
            raise RepositoryDenied.of(spec.repository)
        await asyncio.to_thread(self.sources.check, spec)
        async with self.removals.finished(spec.repository):
            return await self._queued(spec, request_id)

    async def _queued(self, spec: JobSpec, request_id: str) -> Job:
        if not request_id:
            queued = JobQuery(spec.repository, (JobState.QUEUED,))
            waiting = [job for job in await self.board.find(queued) if job.spec == spec and not job.snapshot_id]
            if waiting:
                return waiting[0]
        await run_to_completion(partial(self.readers.announce, spec.repository))
        try:
            return await self.board.add(Job(self.ids.new("job"), spec, self.clock.now(), request_id))
        finally:
            self.runner.wake()  # even if the caller was cancelled: the job is stored all the same
