"""
Removes repositories with everything that is stored for them.

A removal has several steps in several stores, so a note of it is written before the first step and deleted with the
last. A removal that a crash or an unreachable server interrupted is finished at the next start of the service, by a
retry every minute, by the next removal of the repository, or before the repository is indexed again. Each step is
idempotent.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

from common.core.errors import AppError, DependencyUnavailable
from common.core.runtime.concurrency import run_to_completion
from common.core.visibility import EVERYTHING
from indexer.domain.errors import RepositoryNotFound
from indexer.domain.jobs import UNFINISHED, JobQuery

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from common.core.visibility import Visibility
    from indexer.ports import SnapshotAdmin
    from indexer.usecases.jobs.board import JobBoard
    from indexer.usecases.jobs.run import JobRunner


class JobArchive(Protocol):
    """Forgets the jobs of repositories, and remembers which repositories are being removed."""

    def begin_removal(self, repository: str) -> None:
        """Note that a repository is being removed; idempotent. Raises StorageFull."""

    def removals(self) -> Sequence[str]:
        """Return the repositories whose removal was begun and not finished, in order."""

    def finish_removal(self, repository: str) -> None:
        """Remove all jobs of a repository, and the note."""

    def git_urls(self) -> Mapping[str, Sequence[str]]:
        """Return the git URLs that jobs name, by repository."""


class Clones(Protocol):
    """Local copies of git repositories, shared between repositories of the same URL."""

    def remove(self, urls: Sequence[str], used: Sequence[str]) -> None:
        """Remove the copies of `urls`, except those that a URL in `used` shares; ignores missing copies."""


class RepositoryData(Protocol):
    """Something that is kept for each repository."""

    def remove(self, repository: str) -> None:
        """Delete a repository's data, if there is any. Raises DependencyUnavailable if the store is unreachable."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """
    The stores with data of repositories.

    Args:
        data: Removal notes for the other services, imports, vectors; stores that may be unreachable come last.
    """

    snapshots: SnapshotAdmin
    data: Sequence[RepositoryData]
    clones: Clones
    jobs: JobArchive


@dataclass(slots=True, eq=False)
class RemoveRepository:
    """
    Removes repositories; of each repository, one removal at a time. The removal of a cancelled caller is finished
    first, as it could otherwise delete data of a repository that was indexed again meanwhile.

    Args:
        on_left: Called with the repository and the error when a removal cannot be finished now.
    """

    belongings: Belongings
    board: JobBoard
    runner: JobRunner
    on_left: Callable[[str, AppError], None]
    visibility: Visibility = EVERYTHING
    _locks: WeakValueDictionary[str, asyncio.Lock] = field(init=False, default_factory=WeakValueDictionary)

    async def run(self, repository: str) -> int:
        """
        Cancel the repository's jobs, remove everything, and return the number of removed sets.

        Raises RepositoryNotFound; DependencyUnavailable if the vector server does not answer: a later call continues.
        """
        if not self.visibility.admits(repository):
            raise RepositoryNotFound.of(repository)
        async with self._lock(repository):
            left = repository in await asyncio.to_thread(self.belongings.jobs.removals)
            jobs = await self.board.find(JobQuery(repository))
            while unfinished := await self.board.find(JobQuery(repository, UNFINISHED)):
                for job in unfinished:
                    await self.runner.cancel(job.job_id)
            await run_to_completion(partial(self.belongings.jobs.begin_removal, repository))
            try:
                removed = await run_to_completion(partial(self.belongings.snapshots.delete, repository))
            except RepositoryNotFound:
                if not jobs and not left:
                    await run_to_completion(partial(self.belongings.jobs.finish_removal, repository))
                    raise
                removed = 0
            await run_to_completion(partial(self._remove_rest, repository))
        for job in jobs:
            self.board.notify(job.job_id)
        return removed

    async def finish(self) -> None:
        """
        Finish interrupted removals; those that still fail are reported to `on_left` and retried next time.

        Raises DependencyUnavailable if the notes of interrupted removals cannot be read.
        """
        for repository in await asyncio.to_thread(self.belongings.jobs.removals):
            try:
                async with self.finished(repository):
                    pass
            except AppError as error:
                self.on_left(repository, error)

    async def keep_finishing(
        self, every_seconds: float, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        """Retry unfinished removals periodically until cancelled."""
        while True:
            await sleep(every_seconds)
            with suppress(DependencyUnavailable):  # the job runner reads the same file and reports the error
                await self.finish()

    @asynccontextmanager
    async def finished(self, repository: str) -> AsyncIterator[None]:
        """
        Finish an interrupted removal of a repository, then prevent removals of it inside the block.

        Raises DependencyUnavailable if the removal cannot be finished now.
        """
        async with self._lock(repository):
            if repository in await asyncio.to_thread(self.belongings.jobs.removals):
                await run_to_completion(partial(self._remove_all, repository))
            yield

    def _lock(self, repository: str) -> asyncio.Lock:
        return self._locks.setdefault(repository, asyncio.Lock())

    def _remove_all(self, repository: str) -> None:
        with suppress(RepositoryNotFound):
            self.belongings.snapshots.delete(repository)
        self._remove_rest(repository)

    def _remove_rest(self, repository: str) -> None:
        """Remove everything besides the snapshots; jobs last, since they name the clones."""
        urls = self.belongings.jobs.git_urls()
        used = [url for other, each in urls.items() if other != repository for url in each]
        self.belongings.clones.remove(urls.get(repository, ()), used)
        for each in self.belongings.data:
            each.remove(repository)
        self.belongings.jobs.finish_removal(repository)
