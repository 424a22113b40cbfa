"""
What this process holds of object storage: a folder of the layout of docs/snapshot-format.md, bounded in size.

A set is fetched layer by layer, and CURRENT follows when all of them are whole. A layer that is damaged in the bucket
is left out: whoever opens the set finds it missing, and does what it does for damaged ones. Sets that nobody has read
for the length of a lease may go: replaced ones at once, others to make room, least recently used first.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

import structlog

from common.core.errors import AppError
from retriever.adapters.layer_download import LayerDownload
from retriever.adapters.snapshot_folder import SCHEMA_VERSIONS, LayerDamaged, is_snapshot_id
from retriever.domain.errors import CacheFull, SnapshotDamaged, SnapshotNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from common.core.clock import Clock
    from common.objects.bucket import Bucket
    from retriever.adapters.snapshot_folder import Layer

_LOG = structlog.get_logger(__name__)
_RETRY_SECONDS = 60.0
"""So long a damaged layer is given to be mended in the bucket before it is fetched again."""
_STAGING = ".staging"
_GONE = ".gone"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_LAYER = re.compile(r"[a-z]{1,20}-[0-9a-f]{16}")


class CacheMeter(Protocol):
    """Counts what comes and goes."""

    def layer_fetched(self, outcome: str) -> None:
        """Count one layer: "completed", "damaged" or "failed"."""
        ...

    def bytes_fetched(self, number: int) -> None:
        """Count bytes that came."""
        ...

    def evicted(self) -> None:
        """Count one set that made room."""
        ...

    def cache_holds(self, number: int) -> None:
        """Show the size of the cache in bytes."""
        ...


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How much the cache may hold, and how long a set stays that was read."""

    max_bytes: int
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class _Place:
    kind: str
    folder: str
    bytes: int


class SnapshotCache:
    """
    Fetches, keeps and removes sets. Its methods wait for the bucket and the disk: call them in a thread.

    Args:
        root: Takes the place of `<data>/repositories`; belongs to this process alone.
        drop: Closes a snapshot that nobody reads, and tells whether it is closed.
        go_on: Called between pieces of a download; raises where the process is ending.
    """

    def __init__(
        self,
        root: Path,
        bucket: Bucket,
        clock: Clock,
        limits: CacheLimits,
        meter: CacheMeter,
        *,
        drop: Callable[[str, str], bool],
        go_on: Callable[[], None],
    ) -> None:
        self._root = root
        self._bucket = bucket
        self._clock = clock
        self._limits = limits
        self._meter = meter
        self._drop = drop
        self._download = LayerDownload(bucket, root / _STAGING, go_on, meter.bytes_fetched)
        self._lock = threading.Lock()
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._used: dict[tuple[str, str], float] = {}
        self._marks: dict[str, str] = {}
        self._retry_at: dict[str, float] = {}
        for left in (root / _STAGING, root / _GONE):
            shutil.rmtree(left, ignore_errors=True)
        root.mkdir(parents=True, exist_ok=True)
        for home in root.glob("[!.]*/"):
            self._sweep(home.name)

    def current(self, repository: str) -> str:
        """Return the set that serves here, which stays for the length of a lease from now on; "" for none."""
        try:
            named = (self._root / repository / "CURRENT").read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return named if self.has(repository, named) else ""

    def has(self, repository: str, snapshot_id: str) -> bool:
        """Tell whether a set is here; if so it stays for the length of a lease from now on."""
        file = self._set_file(repository, snapshot_id)
        with self._lock:  # so that it is not removed in between
            if not is_snapshot_id(snapshot_id) or not file.exists():
                return False
            self._use(repository, snapshot_id)
            return True

    def follow(self, repository: str) -> None:
        """
        Take up what CURRENT names in the bucket, or that the repository is gone.

        Raises ObjectStoreAway, SnapshotNotFound, SnapshotDamaged, CacheFull; what served here goes on serving.
        """
        with self._lock_of(repository):
            key, known = f"repositories/{repository}", self._marks.get(repository, "")
            found = self._bucket.look(f"{key}/CURRENT", known)
            if found is None:
                announced = self._bucket.look(f"{key}/ANNOUNCED") is not None
                if self._pointer(repository) or not announced:
                    self._forget(repository)
                if announced:
                    (self._root / repository).mkdir(exist_ok=True)
                return
            retry_at = self._retry_at.get(repository)
            if found.mark == known and retry_at is None:
                self._tidy(repository)
                return
            if found.mark == known and retry_at is not None and self._clock.monotonic() < retry_at:
                return
            found = found if found.data else self._bucket.look(f"{key}/CURRENT") or found
            named = found.data.decode("ascii", "replace").strip()
            if not is_snapshot_id(named):
                raise SnapshotDamaged.of(repository, named[:64], "CURRENT names none in object storage")
            self._retry_at.pop(repository, None)
            if "core" in self._fetch(repository, named):
                self._fetch_earlier(repository, named)
            self._write(self._root / repository / "CURRENT", f"{named}\n".encode())
            self._marks[repository] = found.mark
            self._tidy(repository)

    def fetch(self, repository: str, snapshot_id: str) -> None:
        """Bring one set. Raises ObjectStoreAway, SnapshotNotFound, CacheFull."""
        if not is_snapshot_id(snapshot_id):
            raise SnapshotNotFound.of(repository, snapshot_id)
        with self._lock_of(repository):
            self._fetch(repository, snapshot_id)

    def renew(self, repository: str, layer: Layer) -> None:
        """Bring a layer again that is damaged here; a failure leaves none. Raises LayerDamaged."""
        try:
            with self._lock_of(repository):
                shutil.rmtree(layer.folder, ignore_errors=True)
                self._fetch_layer(f"repositories/{repository}/layers/{layer.folder.name}", layer.folder)
        except (AppError, OSError) as error:
            raise LayerDamaged(f"{layer.kind}: damaged, and could not be fetched again") from error

    def published(self, repository: str) -> tuple[bytes, ...]:
        """Return the sets that the bucket has of a repository, as they are written, in order of id."""
        keys = self._bucket.sizes(f"repositories/{repository}/sets")
        return tuple(data for key in keys if (data := self._bucket.read(key)) is not None)

    def _fetch(self, repository: str, snapshot_id: str) -> frozenset[str]:
        """Bring what is not here of a set, and return the kinds of its layers that are damaged."""
        key, home = f"repositories/{repository}", self._root / repository
        data = self._bucket.read(f"{key}/sets/{snapshot_id}.json")
        if data is None:
            raise SnapshotNotFound.of(repository, snapshot_id)
        lacking = [each for each in _places(data) if not (home / "layers" / each.folder).is_dir()]
        self._make_room(repository, sum(each.bytes for each in lacking))
        damaged = set()
        for each in lacking:
            try:
                self._fetch_layer(f"{key}/layers/{each.folder}", home / "layers" / each.folder)
            except LayerDamaged as error:
                damaged.add(each.kind)
                self._retry_at[repository] = self._clock.monotonic() + _RETRY_SECONDS
                _LOG.error(
                    "snapshot.damaged_in_object_store", snapshot_id=snapshot_id, layer=each.kind, problem=str(error)
                )
            except FileNotFoundError:
                raise SnapshotNotFound.of(repository, snapshot_id) from None
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                raise CacheFull.disk(repository) from error
        with self._lock:
            self._write(self._set_file(repository, snapshot_id), data)
            self._use(repository, snapshot_id)
        return frozenset(damaged)

    def _fetch_layer(self, key: str, folder: Path) -> None:
        outcome = "failed"
        try:
            self._download.run(key, folder)
            outcome = "completed"
        except LayerDamaged:
            outcome = "damaged"
            raise
        finally:
            self._meter.layer_fetched(outcome)

    def _fetch_earlier(self, repository: str, damaged: str) -> None:
        """Bring the newest other set that is whole, for readers of one whose core is damaged; none is fine."""
        others = [each for data in self.published(repository) if (each := _name_and_time(data))[1] != damaged]
        for _, snapshot_id in sorted(others, reverse=True):
            if self.has(repository, snapshot_id) or "core" not in self._fetch(repository, snapshot_id):
                return

    def _make_room(self, repository: str, needed: int) -> None:
        """Remove sets until so many bytes more fit. Raises CacheFull."""
        held = _size(self._root)
        if held + needed > self._limits.max_bytes:
            for other, snapshot_id in self._idle():
                if other == repository and snapshot_id == self._pointer(repository):
                    continue  # it serves until the one is whole that we make room for
                if self._evict(other, snapshot_id, mine=repository):
                    self._meter.evicted()
                    held = _size(self._root)
                if held + needed <= self._limits.max_bytes:
                    break
        self._meter.cache_holds(held)
        if held + needed > self._limits.max_bytes:
            raise CacheFull.of(repository, held + needed, self._limits.max_bytes)

    def _idle(self) -> list[tuple[str, str]]:
        """Return sets that nobody has read for the length of a lease, least recently used first."""
        files = [file for file in self._root.glob("[!.]*/sets/*.json") if not file.name.startswith(".")]
        order = sorted((self._used.get((file.parent.parent.name, file.stem), 0.0), _time(file), file) for file in files)
        named = [(file.parent.parent.name, file.stem) for _, _, file in order]
        return [each for each in named if not self._is_leased(each)]

    def _is_leased(self, key: tuple[str, str]) -> bool:
        used = self._used.get(key)
        return used is not None and self._clock.monotonic() - used < self._limits.lease_seconds

    def _evict(self, repository: str, snapshot_id: str, *, mine: str) -> bool:
        """Remove a set that nobody reads; tell whether it is gone. Another repository that is busy is passed by."""
        if repository == mine:
            return self._remove_set(repository, snapshot_id)
        lock = self._lock_of(repository)
        if not lock.acquire(blocking=False):
            return False
        try:
            return self._remove_set(repository, snapshot_id)
        finally:
            lock.release()

    def _remove_set(self, repository: str, snapshot_id: str) -> bool:
        with self._lock:
            if self._is_leased((repository, snapshot_id)) or not self._drop(repository, snapshot_id):
                return False
            if self._pointer(repository) == snapshot_id:
                (self._root / repository / "CURRENT").unlink(missing_ok=True)
                self._marks.pop(repository, None)
            self._set_file(repository, snapshot_id).unlink(missing_ok=True)
            self._used.pop((repository, snapshot_id), None)
        self._sweep(repository)
        return True

    def _tidy(self, repository: str) -> None:
        """Remove sets that were replaced and that nobody reads any more."""
        current = self._pointer(repository)
        for file in (self._root / repository / "sets").glob("[!.]*.json"):
            if file.stem != current and self._retry_at.get(repository) is None:
                self._remove_set(repository, file.stem)

    def _sweep(self, repository: str) -> None:
        """Remove layers of no set, and the repository's folder with the last one."""
        home = self._root / repository
        sets = list((home / "sets").glob("[!.]*.json"))
        named = {each.folder for file in sets for each in _places(file.read_bytes())}
        for folder in (home / "layers").glob("*"):
            if folder.name not in named:
                shutil.rmtree(folder, ignore_errors=True)
        if not sets:
            shutil.rmtree(home, ignore_errors=True)

    def _forget(self, repository: str) -> None:
        """Remove a repository that the bucket does not have; who reads it keeps open files."""
        home = self._root / repository
        self._marks.pop(repository, None)
        self._retry_at.pop(repository, None)
        with self._lock:
            for key in [each for each in self._used if each[0] == repository]:
                del self._used[key]
            if not home.is_dir():
                return
            (self._root / _GONE).mkdir(exist_ok=True)
            home.rename(self._root / _GONE / repository)
        shutil.rmtree(self._root / _GONE, ignore_errors=True)

    def _lock_of(self, repository: str) -> threading.Lock:
        """Return what keeps two threads from changing one repository here."""
        with self._lock:
            return self._locks.setdefault(repository, threading.Lock())

    def _pointer(self, repository: str) -> str:
        try:
            return (self._root / repository / "CURRENT").read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def _use(self, repository: str, snapshot_id: str) -> None:
        now, key = self._clock.monotonic(), (repository, snapshot_id)
        if now - self._used.get(key, float("-inf")) > _RETRY_SECONDS:
            os.utime(self._set_file(repository, snapshot_id))  # the order of use, for the next process
        self._used[key] = now

    def _set_file(self, repository: str, snapshot_id: str) -> Path:
        return self._root / repository / "sets" / f"{snapshot_id}.json"

    def _write(self, file: Path, data: bytes) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f".{file.name}.new")
        beside.write_bytes(data)
        beside.replace(file)


def _places(data: bytes) -> Iterator[_Place]:
    """Give the layers of a set; none of one that cannot be read here, which is for its reader to say."""
    try:
        content = json.loads(data)
        if content["schema_version"] not in SCHEMA_VERSIONS:
            return
        found = [_Place(str(each["kind"]), str(each["folder"]), int(each["bytes"])) for each in content["layers"]]
    except (ValueError, KeyError, TypeError):
        return
    yield from (each for each in found if _LAYER.fullmatch(each.folder))


def _name_and_time(data: bytes) -> tuple[str, str]:
    try:
        content = json.loads(data)
        return str(content["publish_time"]), str(content["snapshot_id"])
    except (ValueError, KeyError, TypeError):
        return "", ""


def _time(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _size(root: Path) -> int:
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_size  # noqa: PTH116, PTH118 (many files, no objects)
            except FileNotFoundError:
                continue
    return total
