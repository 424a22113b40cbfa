"""
Fetches snapshots from object storage into this process's cache, whose size is bounded.

A set is fetched layer by layer. The local CURRENT is written only after all layers have arrived. A layer that is
damaged in the bucket is skipped: the set is then opened as if the local copy of that layer were damaged. A set may
be evicted once nobody has read it for the length of a lease: a replaced set at once, others when space is needed,
the least recently used first.
"""

from __future__ import annotations

import errno
import json
import shutil
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import structlog

from common.core.contract.snapshot import LayerKind
from common.core.errors import AppError
from retriever.adapters.bucket.cache_folder import layers_of
from retriever.adapters.bucket.layer_download import LayerDownload
from retriever.adapters.snapshots.folder import LayerDamaged, is_snapshot_id
from retriever.domain.errors import CacheFull, SnapshotDamaged, SnapshotNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from common.core.clock import Clock
    from common.objects.bucket import Bucket, MarkedObject
    from retriever.adapters.bucket.cache_folder import CacheFolder, LayerEntry
    from retriever.adapters.snapshots.folder import Layer

_LOG = structlog.get_logger(__name__)
_RETRY_SECONDS = 60.0
"""A layer that is damaged in the bucket is fetched again after this time, since it may be repaired there."""
_ATTEMPTS = 3
_FULL = (errno.ENOSPC, errno.EDQUOT)


class CacheMeter(Protocol):
    """Counts what is fetched and evicted."""

    def layer_fetched(self, outcome: str) -> None:
        """Count one layer: "completed", "damaged" or "failed"."""
        ...

    def bytes_fetched(self, number: int) -> None:
        """Count bytes that were downloaded."""
        ...

    def evicted(self) -> None:
        """Count one set that was evicted to make room."""
        ...

    def cache_holds(self, number: int) -> None:
        """Show the size of the cache in bytes."""
        ...


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A set as the bucket describes it; `publish_time` is the text of the file, and sorts by time."""

    snapshot_id: str
    publish_time: str
    commit: str
    dirty: bool


class SnapshotCache:
    """
    Fetches sets and evicts them. Its methods block on the bucket and the disk: call them in a thread.

    Args:
        folder: The files of the cache.
        max_bytes: Bound of the cache's size.
        go_on: Called between the chunks of a download; raises if the process is ending.
    """

    def __init__(
        self,
        folder: CacheFolder,
        bucket: Bucket,
        clock: Clock,
        meter: CacheMeter,
        *,
        max_bytes: int,
        go_on: Callable[[], None],
    ) -> None:
        self._folder = folder
        self._bucket = bucket
        self._clock = clock
        self._meter = meter
        self._max_bytes = max_bytes
        self._download = LayerDownload(bucket, folder.staging, go_on, meter.bytes_fetched)
        self._marks: dict[str, str] = {}
        self._retry_at: dict[str, float] = {}
        self._failed_at: dict[Path, float] = {}
        self._room = threading.Lock()
        self._coming: dict[str, int] = {}

    def current(self, repository: str) -> str:
        """Return the id of the set that is served locally, or ""; the set is not evicted for the length of a lease."""
        named = self._folder.pointer(repository)
        return named if self._folder.has(repository, named) else ""

    def has(self, repository: str, snapshot_id: str) -> bool:
        """Return whether a set is cached; a cached one is not evicted for the length of a lease from now on."""
        return self._folder.has(repository, snapshot_id)

    def is_to_be_mended(self, repository: str, snapshot_id: str) -> bool:
        """Return whether a cached set lacks a layer that was damaged, and it is time to fetch that layer again."""
        now, tried = self._clock.monotonic(), self._failed_at
        return bool(tried) and any(
            now - tried.get(self._folder.layer(repository, each), now) >= _RETRY_SECONDS
            for each in self._folder.lacks(repository, snapshot_id)
        )

    def follow(self, repository: str) -> None:
        """
        Fetch and serve the set that CURRENT names in the bucket, or drop the repository if it is gone there.

        Raises ObjectStoreUnavailable, SnapshotNotFound, SnapshotDamaged, CacheFull; the set served before is served on.
        """
        with self._folder.lock_of(repository):
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    self._follow(repository)
                    return
                except SnapshotNotFound:  # garbage-collected during the fetch: CURRENT names another set by now
                    if attempt == _ATTEMPTS:
                        raise

    def _follow(self, repository: str) -> None:
        known = self._marks.get(repository, "") if self._folder.pointer(repository) else ""
        found = self._bucket.look(f"repositories/{repository}/CURRENT", known)
        if found is None:
            self._take_down(repository)
            return
        retry_at = self._retry_at.get(repository)
        if found.mark != known:
            self._take_up(repository, found)
        elif retry_at is None:
            self._folder.remove_replaced(repository)
        elif self._clock.monotonic() >= retry_at:
            self._marks.pop(repository, None)
            self._follow(repository)

    def _take_up(self, repository: str, found: MarkedObject) -> None:
        self._marks.pop(repository, None)  # if anything below fails, the next poll starts over
        self._retry_at.pop(repository, None)
        named = found.data.decode("ascii", "replace").strip()
        if not is_snapshot_id(named):
            raise SnapshotDamaged.of(repository, named[:64], "CURRENT names none in object storage")
        if LayerKind.CORE in self._fetch(repository, named):
            self._fetch_earlier(repository, named)
        with _disk(repository):
            self._folder.point(repository, named)
        self._marks[repository] = found.mark

    def _take_down(self, repository: str) -> None:
        """Drop the sets of a repository that has none in the bucket; one that is announced there stays known."""
        announced = self._bucket.look(f"repositories/{repository}/ANNOUNCED") is not None
        if self._folder.pointer(repository) or not announced:
            self._folder.forget(repository)
            self._retry_at.pop(repository, None)
        if announced:
            self._folder.announce(repository)

    def fetch(self, repository: str, snapshot_id: str) -> None:
        """Fetch one set. Raises ObjectStoreUnavailable, SnapshotNotFound, CacheFull."""
        if not is_snapshot_id(snapshot_id):
            raise SnapshotNotFound.of(repository, snapshot_id)
        with self._folder.lock_of(repository):
            self._fetch(repository, snapshot_id)

    def renew(self, repository: str, layer: Layer) -> None:
        """Replace the damaged cached copy of a layer by a new one. Raises LayerDamaged, and then leaves no copy."""
        try:
            with self._folder.lock_of(repository):
                shutil.rmtree(layer.folder, ignore_errors=True)
                self._fetch_layer(f"repositories/{repository}/layers/{layer.folder.name}", layer.folder)
        except (AppError, OSError) as error:
            self._marks.pop(repository, None)  # so that the next poll fetches the missing layers
            raise LayerDamaged(f"{layer.kind}: damaged, and could not be fetched again") from error

    def published(self, repository: str) -> tuple[PublishedSet, ...]:
        """Return a repository's sets in the bucket, in order of id; sets that cannot be read are left out."""
        keys = self._bucket.sizes(f"repositories/{repository}/sets")
        read = (self._bucket.read(key) for key in keys)
        return tuple(each for data in read if data is not None and (each := _published(data)) is not None)

    def _fetch(self, repository: str, snapshot_id: str) -> frozenset[str]:
        """Fetch the missing layers of a set; return the kinds of those that are damaged or of unknown format."""
        key = f"repositories/{repository}"
        data = self._bucket.read(f"{key}/sets/{snapshot_id}.json")
        if data is None:
            raise SnapshotNotFound.of(repository, snapshot_id)
        named = tuple(layers_of(data))
        try:
            damaged = self._fetch_layers(repository, snapshot_id, self._given_room(repository, named))
        finally:
            with self._room:
                self._coming.pop(repository, None)
        with _disk(repository):
            self._folder.add(repository, snapshot_id, data)
        self._meter.cache_holds(self._folder.size())
        if not named:
            # Its format is unknown to this release, so an earlier set is needed, as if this one were damaged.
            self._retry_at[repository] = self._clock.monotonic() + _RETRY_SECONDS
            return frozenset({LayerKind.CORE})
        return damaged

    def _fetch_layers(self, repository: str, snapshot_id: str, lacking: Sequence[LayerEntry]) -> frozenset[str]:
        damaged = set()
        for each in lacking:
            key = f"repositories/{repository}/layers/{each.folder}"
            try:
                with _disk(repository):
                    self._fetch_layer(key, self._folder.layer(repository, each))
            except LayerDamaged as error:
                damaged.add(each.kind)
                self._retry_at[repository] = self._clock.monotonic() + _RETRY_SECONDS
                _LOG.error(
                    "snapshot.damaged_in_object_store", snapshot_id=snapshot_id, layer=each.kind, problem=str(error)
                )
            except FileNotFoundError:
                raise SnapshotNotFound.of(repository, snapshot_id) from None
            with self._room:
                self._coming[repository] -= each.bytes  # from now on its bytes are counted in the folder's size
        return frozenset(damaged)

    def _fetch_layer(self, key: str, folder: Path) -> None:
        outcome = "failed"
        self._failed_at[folder] = self._clock.monotonic()
        try:
            self._download.run(key, folder)
            outcome = "completed"
            self._failed_at.pop(folder, None)
        except FileNotFoundError:
            self._failed_at.pop(folder, None)  # it was garbage-collected, and will not come back
            raise
        except LayerDamaged:
            outcome = "damaged"
            raise
        finally:
            self._meter.layer_fetched(outcome)

    def _fetch_earlier(self, repository: str, damaged: str) -> None:
        """Fetch the newest other set with an intact core, to be read instead of a damaged one; there may be none."""
        others = (each for each in self.published(repository) if each.snapshot_id != damaged)
        for each in sorted(others, key=lambda each: (each.publish_time, each.snapshot_id), reverse=True):
            if self.has(repository, each.snapshot_id) or LayerKind.CORE not in self._fetch(
                repository, each.snapshot_id
            ):
                return

    def _given_room(self, repository: str, wanted: Sequence[LayerEntry]) -> list[LayerEntry]:
        """Return which of these layers are not cached, and reserve space for them. Raises CacheFull."""
        lacking: list[LayerEntry] = []
        while lacking != (left := [each for each in wanted if not self._folder.layer(repository, each).is_dir()]):
            lacking = left  # an evicted set may have shared some of these layers
            with self._room:
                self._make_room(repository, sum(each.bytes for each in lacking))
        return lacking

    def _make_room(self, repository: str, needed: int) -> None:
        """Evict sets until `needed` more bytes fit, besides what other threads reserved. Raises CacheFull."""
        self._coming[repository] = needed
        coming = sum(self._coming.values())
        held = self._folder.size()
        for key in self._folder.by_use() if held + coming > self._max_bytes else ():
            if self._evict(*key, mine=repository):
                self._meter.evicted()
                held = self._folder.size()
                if held + coming <= self._max_bytes:
                    break
        self._meter.cache_holds(held)
        if held + coming > self._max_bytes:
            raise CacheFull.of(repository, held + coming, self._max_bytes)

    def _evict(self, repository: str, snapshot_id: str, *, mine: str) -> bool:
        """Remove an unused set; return whether it was removed. Skips a repository that another thread changes."""
        if repository == mine:
            return self._folder.remove(repository, snapshot_id)
        lock = self._folder.lock_of(repository)
        if not lock.acquire(blocking=False):
            return False
        try:
            return self._folder.remove(repository, snapshot_id)
        finally:
            lock.release()


@contextmanager
def _disk(repository: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise CacheFull.disk(repository) from error


def _published(data: bytes) -> PublishedSet | None:
    try:
        found = json.loads(data)
        snapshot_id, publish_time, commit = (str(found[name]) for name in ("snapshot_id", "publish_time", "commit"))
        return PublishedSet(snapshot_id, publish_time, commit, bool(found.get("dirty", False)))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
