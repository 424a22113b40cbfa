"""
The files of the snapshot cache: a folder in the layout of docs/snapshot-format.md that belongs to one process.

The time of each set's last use is recorded, so that a set that a running answer may still read is never removed.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from retriever.adapters.snapshots.folder import SCHEMA_VERSIONS, is_layer_folder, is_snapshot_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from common.core.clock import Clock

_TOUCH_SECONDS = 60.0
_STAGING = ".staging"
_GONE = ".gone"


@dataclass(frozen=True, slots=True)
class LayerEntry:
    """A layer as listed in the file of a set; `bytes` is the size of all its files."""

    kind: str
    folder: str
    bytes: int


class CacheFolder:
    """
    Stores and removes sets in the folder.

    Args:
        root: Folder with the layout of `<data>/repositories`.
        lease_seconds: A set is kept at least this long after its last use.
        drop: Closes a snapshot if nobody reads it; returns whether it is closed.
    """

    def __init__(self, root: Path, clock: Clock, drop: Callable[[str, str], bool], *, lease_seconds: float) -> None:
        self.root = root
        self.staging = root / _STAGING
        self._clock = clock
        self._drop = drop
        self._lease_seconds = lease_seconds
        self._lock = threading.Lock()
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._used: dict[tuple[str, str], float] = {}
        for left in (self.staging, root / _GONE):
            shutil.rmtree(left, ignore_errors=True)
        root.mkdir(parents=True, exist_ok=True)
        for home in root.glob("[!.]*/"):
            for file in home.glob("sets/[!.]*.json"):
                if not _is_whole(file):  # truncated by a power loss; it is fetched again
                    file.unlink()
            self._sweep(home.name)

    def lock_of(self, repository: str) -> threading.Lock:
        """Return the lock to hold while a repository is changed."""
        with self._lock:
            return self._locks.setdefault(repository, threading.Lock())

    def pointer(self, repository: str) -> str:
        """Return the id of the set that the local CURRENT names, or ""."""
        try:
            return (self.root / repository / "CURRENT").read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def has(self, repository: str, snapshot_id: str) -> bool:
        """Return whether a set is cached; if so it is kept for the length of a lease from now on."""
        with self._lock:  # so that it is not removed in between
            if not is_snapshot_id(snapshot_id) or not self._set_file(repository, snapshot_id).exists():
                return False
            self._use(repository, snapshot_id)
            return True

    def lacks(self, repository: str, snapshot_id: str) -> list[LayerEntry]:
        """Return the layers that a cached set lacks; none of a set that is not cached."""
        try:
            named = layers_of(self._set_file(repository, snapshot_id).read_bytes())
        except FileNotFoundError:
            return []
        return [each for each in named if not self.layer(repository, each).is_dir()]

    def layer(self, repository: str, entry: LayerEntry) -> Path:
        """Return the folder of a layer, which exists if the layer is cached."""
        return self.root / repository / "layers" / entry.folder

    def add(self, repository: str, snapshot_id: str, data: bytes) -> None:
        """Add a set whose layers are cached; it is kept for the length of a lease from now on."""
        with self._lock:
            _write(self._set_file(repository, snapshot_id), data)
            self._use(repository, snapshot_id)

    def point(self, repository: str, snapshot_id: str) -> None:
        """Write the local CURRENT, so that this set is served."""
        _write(self.root / repository / "CURRENT", f"{snapshot_id}\n".encode())

    def by_use(self) -> list[tuple[str, str]]:
        """Return repository and id of all sets, least recently used first."""
        files = [file for file in self.root.glob("[!.]*/sets/*.json") if not file.name.startswith(".")]
        order = sorted((self._used.get((file.parent.parent.name, file.stem), 0.0), _time(file), file) for file in files)
        return [(file.parent.parent.name, file.stem) for _, _, file in order]

    def remove(self, repository: str, snapshot_id: str) -> bool:
        """Remove a set unless it is leased or in use; return whether it was. The caller holds the repository's lock."""
        with self._lock:
            if self._is_leased((repository, snapshot_id)) or not self._drop(repository, snapshot_id):
                return False
            if self.pointer(repository) == snapshot_id:
                (self.root / repository / "CURRENT").unlink(missing_ok=True)
            self._set_file(repository, snapshot_id).unlink(missing_ok=True)
            self._used.pop((repository, snapshot_id), None)
        self._sweep(repository)
        return True

    def remove_replaced(self, repository: str) -> None:
        """Remove all unused sets that are not served. The caller holds the repository's lock."""
        current = self.pointer(repository)
        for file in (self.root / repository / "sets").glob("[!.]*.json"):
            if file.stem != current:
                self.remove(repository, file.stem)

    def forget(self, repository: str) -> None:
        """Remove a repository. The caller holds its lock; readers keep their open files."""
        home = self.root / repository
        with self._lock:
            for key in [each for each in self._used if each[0] == repository]:
                del self._used[key]
            if not home.is_dir():
                return
            (self.root / _GONE).mkdir(exist_ok=True)
            aside = Path(
                tempfile.mkdtemp(dir=self.root / _GONE)
            )  # unique: other repositories may be removed at the same time
            home.rename(aside / repository)
        shutil.rmtree(aside, ignore_errors=True)

    def announce(self, repository: str) -> None:
        """Create the folder of a repository that has no set yet, so that it is known."""
        (self.root / repository).mkdir(exist_ok=True)

    def size(self) -> int:
        """Return the bytes of all files but those of unfinished layers."""
        total = 0
        for folder, inner, names in os.walk(self.root):
            inner[:] = [name for name in inner if name != _STAGING]
            for name in names:
                try:
                    total += os.stat(os.path.join(folder, name)).st_size  # noqa: PTH116, PTH118 (many, no objects)
                except FileNotFoundError:
                    continue
        return total

    def _is_leased(self, key: tuple[str, str]) -> bool:
        used = self._used.get(key)
        return used is not None and self._clock.monotonic() - used < self._lease_seconds

    def _use(self, repository: str, snapshot_id: str) -> None:
        now, key = self._clock.monotonic(), (repository, snapshot_id)
        if now - self._used.get(key, float("-inf")) > _TOUCH_SECONDS:
            os.utime(self._set_file(repository, snapshot_id))  # preserves the order of use for the next process
        self._used[key] = now

    def _sweep(self, repository: str) -> None:
        """Remove layers that no set lists, and the repository's folder if it has no set."""
        home = self.root / repository
        sets = list((home / "sets").glob("[!.]*.json"))
        named = {each.folder for file in sets for each in layers_of(file.read_bytes())}
        for folder in (home / "layers").glob("*"):
            if folder.name not in named:
                shutil.rmtree(folder, ignore_errors=True)
        if not sets:
            shutil.rmtree(home, ignore_errors=True)

    def _set_file(self, repository: str, snapshot_id: str) -> Path:
        return self.root / repository / "sets" / f"{snapshot_id}.json"


def layers_of(data: bytes) -> Iterator[LayerEntry]:
    """Yield the layers listed in a set's file; none if it is unreadable, which is reported when the set is opened."""
    try:
        content = json.loads(data)
        if content["schema_version"] not in SCHEMA_VERSIONS:
            return
        found = [LayerEntry(str(each["kind"]), str(each["folder"]), int(each["bytes"])) for each in content["layers"]]
    except (ValueError, KeyError, TypeError):
        return
    yield from (each for each in found if is_layer_folder(each.folder))


def _is_whole(file: Path) -> bool:
    """Return whether a file is a complete set, even of a format that this release does not know."""
    try:
        return bool(json.loads(file.read_bytes())["snapshot_id"] == file.stem)
    except (ValueError, KeyError, TypeError):
        return False


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.new")
    beside.write_bytes(data)
    beside.replace(file)


def _time(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0
