"""
Looks jobs up, changes them, and notifies watchers.

The state of a job stays visible when the disk is full or read-only: changes that cannot be written are kept in memory
and written later.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from common.core.runtime.concurrency import run_to_completion
from common.core.visibility import EVERYTHING
from indexer.domain.errors import JobNotFound, StorageFull, StorageRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.visibility import Visibility
    from indexer.domain.jobs import Job, JobQuery
    from indexer.ports import JobQueue


class JobBoard:
    """The jobs of one service; every change goes through here. Hides jobs of repositories that are not visible."""

    def __init__(self, queue: JobQueue, visibility: Visibility = EVERYTHING) -> None:
        self._queue = queue
        self._visibility = visibility
        self._unwritten: dict[str, Job] = {}
        self._writing = asyncio.Lock()
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    async def add(self, job: Job) -> Job:
        """Store a new job, even if the caller is cancelled; or return the existing job with the same request id."""
        return await run_to_completion(partial(self._queue.add, job))

    async def get(self, job_id: str) -> Job:
        """Return a job. Raises JobNotFound."""
        await self._write()
        job = self._unwritten.get(job_id) or await asyncio.to_thread(self._queue.get, job_id)
        if job is None or not self._visibility.admits(job.spec.repository):
            raise JobNotFound(f"No job {job_id!r}; list the jobs there are.", metadata={"job_id": job_id})
        return job

    async def find(self, query: JobQuery) -> Sequence[Job]:
        """Return jobs, newest first."""
        await self._write()
        found = await self._visible(query)
        if not self._unwritten:
            return found
        fresh = (self._unwritten.get(job.job_id, job) for job in found)
        return [job for job in fresh if not query.states or job.state in query.states]

    async def _visible(self, query: JobQuery) -> Sequence[Job]:
        limit = query.limit
        found: list[Job] = []
        while True:
            page = await asyncio.to_thread(self._queue.find, query)
            found += [job for job in page if self._visibility.sees(job.spec.repository)]
            if len(page) < limit or len(found) >= limit:
                return found[:limit]
            query = replace(query, before=page[-1].number)

    async def waiting(self) -> Sequence[Job]:
        """Return the oldest queued job of each repository, oldest first."""
        await self._write()
        found = await asyncio.to_thread(self._queue.waiting, tuple(self._unwritten))
        return [job for job in found if self._visibility.sees(job.spec.repository)]

    async def update(self, job: Job) -> None:
        """Replace a job and notify its watchers; a job in a final state is not changed any more."""
        before = self._unwritten.get(job.job_id)
        if before is None or not before.state.final:
            self._unwritten[job.job_id] = job
        await self._write()
        self.notify(job.job_id)

    async def end(self, job: Job) -> bool:
        """Store a job's final state; return False if the job had reached another final state before."""
        await self.update(job)
        try:
            return await self.get(job.job_id) == job
        except JobNotFound:
            return True  # its repository was removed meanwhile

    async def _write(self) -> None:
        """Write pending changes to the disk, oldest first, until one cannot be written."""
        async with self._writing:  # an older change must not overtake a newer one
            for job in list(self._unwritten.values()):
                try:
                    await run_to_completion(partial(self._queue.update, job))
                except (StorageFull, StorageRefused):
                    return
                if self._unwritten.get(job.job_id) is job:
                    del self._unwritten[job.job_id]

    def notify(self, job_id: str) -> None:
        """Wake the watchers of a job, so that they read it again."""
        for event in self._watchers.get(job_id, ()):
            event.set()

    @contextmanager
    def news(self, job_id: str) -> Iterator[asyncio.Event]:
        """Return an event that is set at each change of a job."""
        event = asyncio.Event()
        self._watchers[job_id].add(event)
        try:
            yield event
        finally:
            self._watchers[job_id].discard(event)
            if not self._watchers[job_id]:
                del self._watchers[job_id]
