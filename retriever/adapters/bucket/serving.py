"""Serves snapshots of object storage from a local cache, and fetches new ones in the background."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from common.core.errors import AppError
from common.objects.bucket import ObjectStoreUnavailable
from retriever.adapters.snapshots.folder import is_repository_name, is_snapshot_id
from retriever.domain.errors import RepositoryNotFound, SnapshotNotFound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from concurrent.futures import Executor
    from datetime import datetime

    from common.core.clock import Clock
    from retriever.adapters.bucket.cache import SnapshotCache
    from retriever.adapters.snapshots.store import FolderSnapshots
    from retriever.ports import Snapshot

_LOG = structlog.get_logger(__name__)
_MAY_BE_OLD = "object storage: looking for a newer snapshot failed, the one in the cache was read"


@dataclass
class _Followed:
    """
    A repository that calls ask for, and whose CURRENT in the bucket is therefore polled.

    Args:
        asked: When a call last asked for it; monotonic seconds.
        looked: When the bucket was last polled, with or without success; None if never.
        is_behind: The last poll failed.
    """

    asked: float
    looked: float | None = None
    is_behind: bool = False


class CachedSnapshots:
    """
    Implements `SnapshotStore` over a cache.

    A call for the current snapshot gets the cached one. The bucket is polled every few seconds for repositories that
    calls asked for lately; for any other repository when it is asked for.

    Args:
        served: Opens what is in the cache.
        workers: Threads for the bucket, so that a bucket that hangs takes no threads from calls.
        poll_seconds: Time between polls; a call waits at most this long to learn whether a cached snapshot is current.
        follow_seconds: A repository is polled for this long after a call asked for it.
        on_away: Called after each poll for which the bucket was unreachable.
    """

    def __init__(
        self,
        served: FolderSnapshots,
        cache: SnapshotCache,
        clock: Clock,
        workers: Executor,
        *,
        poll_seconds: float,
        follow_seconds: float,
        on_away: Callable[[], None],
    ) -> None:
        self._served = served
        self._cache = cache
        self._clock = clock
        self._workers = workers
        self._poll_seconds = poll_seconds
        self._follow_seconds = follow_seconds
        self._on_away = on_away
        self._followed: dict[str, _Followed] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._is_away = False

    @asynccontextmanager
    async def open(self, repository: str, snapshot_id: str) -> AsyncIterator[Snapshot]:
        """Open a snapshot for as long as the context lasts; fetch it first if it is not cached."""
        if not is_repository_name(repository):
            raise RepositoryNotFound.of(repository)
        if snapshot_id:
            await self._bring(repository, snapshot_id)
        else:
            await self._bring_current(repository)
        async with self._served.open(repository, snapshot_id) as snapshot:
            followed = self._followed.get(repository)
            if not snapshot_id and (self._is_away or (followed is not None and followed.is_behind)):
                snapshot = replace(snapshot, notes=(*snapshot.notes, _MAY_BE_OLD))
            yield snapshot

    async def at_revision(self, repository: str, revision: str) -> str:
        """Return a snapshot of a commit, cached ones first; a snapshot id, or "", is returned as it is."""
        if not revision or is_snapshot_id(revision):
            return revision
        if not is_repository_name(repository):
            raise RepositoryNotFound.of(repository)
        try:
            return await self._served.at_revision(repository, revision)
        except (RepositoryNotFound, SnapshotNotFound):
            loop = asyncio.get_running_loop()
            sets = await loop.run_in_executor(self._workers, self._cache.published, repository)
            same = [each for each in sets if each.commit == revision]
            if not sets:
                raise
            if not same:
                raise SnapshotNotFound.of(repository, revision) from None
            return max(same, key=lambda each: (not each.dirty, each.publish_time)).snapshot_id

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Close unused snapshots of a repository, and check in the bucket whether the repository still exists."""
        await self._served.forget_repository(repository, before)
        if is_repository_name(repository):
            await asyncio.shield(self._do(repository, ""))

    async def run(self) -> None:
        """Notice newly published snapshots by polling until cancelled."""
        while True:
            await asyncio.sleep(self._poll_seconds)
            await self.look()

    async def look(self) -> None:
        """Notice new snapshots: poll all followed repositories once; return when done or the next poll is due."""
        oldest = self._clock.monotonic() - self._follow_seconds
        self._followed = {name: each for name, each in self._followed.items() if each.asked > oldest}
        names = sorted(self._followed)
        # While the bucket is unreachable, only one repository is polled.
        tasks = [self._do(name, "") for name in (names[:1] if self._is_away else names)]
        if tasks:
            await asyncio.wait(tasks, timeout=self._poll_seconds)  # a long fetch continues in the background

    async def close(self) -> None:
        """Cancel all fetches without waiting for them."""
        for task in list(self._tasks.values()):
            task.cancel()

    async def _bring(self, repository: str, snapshot_id: str) -> None:
        if not await asyncio.to_thread(self._cache.has, repository, snapshot_id):
            await asyncio.shield(self._do(repository, snapshot_id))
        elif await asyncio.to_thread(self._cache.is_to_be_mended, repository, snapshot_id):
            await asyncio.wait([self._do(repository, snapshot_id)], timeout=self._poll_seconds)

    async def _bring_current(self, repository: str) -> None:
        now = self._clock.monotonic()
        followed = self._followed.setdefault(repository, _Followed(now))
        followed.asked = now
        here = await asyncio.to_thread(self._cache.current, repository)
        if here and followed.looked is not None:
            return
        task = self._do(repository, "")
        if here:
            await asyncio.wait([task], timeout=self._poll_seconds)
            return
        try:
            await asyncio.shield(task)
        finally:
            if not await asyncio.to_thread(self._cache.current, repository):
                self._followed.pop(repository, None)  # names come from callers: unknown ones must not accumulate

    def _do(self, repository: str, snapshot_id: str) -> asyncio.Task[None]:
        """Return the task that fetches a set, or polls CURRENT if the id is ""; one task at a time for each."""
        key = (repository, snapshot_id)
        if key not in self._tasks:
            task = asyncio.create_task(self._fetch(repository, snapshot_id) if snapshot_id else self._look(repository))
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key, None))
            task.add_done_callback(_heard)
        return self._tasks[key]

    async def _fetch(self, repository: str, snapshot_id: str) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._workers, self._cache.fetch, repository, snapshot_id)

    async def _look(self, repository: str) -> None:
        before, is_behind = self._followed.get(repository), True
        was_behind = before is not None and before.is_behind
        try:
            await asyncio.get_running_loop().run_in_executor(self._workers, self._cache.follow, repository)
            is_behind = self._is_away = False
        except ObjectStoreUnavailable as error:
            self._on_away()
            if not self._is_away:
                _LOG.warning("object_store.away", problem=error.message, detail=error.detail)
            self._is_away = True
            raise
        except AppError as error:
            self._is_away = False  # the failure did not come from the bucket
            if not was_behind:
                _LOG.warning("snapshot.not_taken_up", repository=repository, reason=error.reason, problem=error.message)
            raise
        finally:
            followed = self._followed.get(repository)
            if followed is not None:
                followed.looked, followed.is_behind = self._clock.monotonic(), is_behind


def _heard(task: asyncio.Task[None]) -> None:
    """Log an unexpected failure of a task that may have no waiter; an AppError was logged where it happened."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, AppError):
        _LOG.error("snapshot.fetch_failed", exc_info=error)
