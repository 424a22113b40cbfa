"""
Stores snapshots in a data folder. Whenever this process dies, readers see the old set or the new one as a whole.

The order is: layer flushed and renamed to its place, set file renamed to its place, CURRENT replaced; each rename is
flushed before the next step. What a crash leaves behind is removed by the next `staging`.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import IO, TYPE_CHECKING

from indexer.adapters.store.disk import is_there, replace_file, storage_errors, sync, try_lock
from indexer.adapters.store.leases import decode_lease
from indexer.adapters.store.manifests import decode_set, encode_manifest, encode_set, intact
from indexer.domain.errors import RepositoryNotFound, SnapshotNotFound, StateForbids
from indexer.domain.snapshots.snapshot import SnapshotSet, kept_sets, previous_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from common.core.clock import Clock
    from indexer.domain.snapshots.snapshot import Layer

_LOCK_SECONDS = 10.0
_LOCK_POLL_SECONDS = 0.05
# Writing a lease takes an instant: an older temporary file is left over from a killed reader.
_LEFT_SECONDS = 3600.0
_LOCK = ".lock"
_DELETED = ".deleted-"
_ID = re.compile("[0-9a-f]{64}")


class FolderSnapshotStore:
    """
    Keeps sets and layers of all repositories below one folder.

    Args:
        folder: `<data>/repositories`.
        clock: Judges whether leases are over.
        reached: Called with the name of each step; tests end the process there.
    """

    def __init__(self, folder: Path, clock: Clock, reached: Callable[[str], None]) -> None:
        self._folder = folder
        self._clock = clock
        self._reached = reached

    def repositories(self) -> tuple[str, ...]:
        """Return the names of repositories with a current snapshot, in order."""
        return tuple(sorted(file.parent.name for file in self._folder.glob("[!.]*/CURRENT")))

    def announce(self, repository: str) -> None:
        """Let readers know of a repository before its first snapshot: it is known, and not ready."""
        with storage_errors():
            (self._folder / repository).mkdir(parents=True, exist_ok=True)

    def current(self, repository: str) -> SnapshotSet | None:
        """Return the set that CURRENT names."""
        try:
            named = (self._folder / repository / "CURRENT").read_text("ascii").strip()
        except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
            return None
        if not _ID.fullmatch(named):
            return None
        return self._read_set(self._folder / repository / "sets" / f"{named}.json")

    def sets(self, repository: str) -> tuple[SnapshotSet, ...]:
        """Return all sets, newest first; ties by id."""
        found = [self._read_set(file) for file in (self._folder / repository / "sets").glob("*.json")]
        sets = sorted((each for each in found if each), key=lambda each: each.snapshot_id)
        return tuple(sorted(sets, key=lambda each: each.publish_time, reverse=True))

    @contextmanager
    def staging(self, repository: str) -> Iterator[Path]:
        """
        Hold the repository's lock and yield an empty folder for layers, after removing what a crash left.

        Raises RepositoryNotFound if the repository was not announced, or has been removed since: a job that still runs
        must not create it again.
        Raises StateForbids if another process publishes into the repository for longer than ten seconds.
        """
        home = self._folder / repository
        with storage_errors(), self._locked(home):
            for name in ("sets", "layers", "leases", "staging"):
                (home / name).mkdir(exist_ok=True)
            _empty(home / "staging")
            self._sweep(home)
            try:
                yield home / "staging"
            except BaseException:
                self._sweep(home)  # layers that were moved to their place, of a set that was not published
                raise
            finally:
                _empty(home / "staging")

    def layer_folder(self, repository: str, layer: Layer) -> Path:
        """Return the folder of a published layer."""
        return self._folder / repository / "layers" / layer.folder

    def damaged(self, repository: str, layers: Sequence[Layer]) -> tuple[Layer, ...]:
        """Return the damaged ones of some published layers, by reading all their files."""
        return tuple(each for each in layers if not intact(each, self.layer_folder(repository, each)))

    def publish(self, snapshot: SnapshotSet, staged: Mapping[Layer, Path]) -> SnapshotSet:
        """
        Publish a set; call it inside `staging`, with each layer either in `staged` or already published.

        If the clock was set back, the publication time is set to 1 microsecond after that of the newest set.
        """
        home = self._folder / snapshot.repository
        replaced = self.current(snapshot.repository)
        newest = max((each.publish_time for each in self.sets(snapshot.repository)), default=None)
        if newest is not None and snapshot.publish_time <= newest:
            snapshot = dataclasses.replace(snapshot, publish_time=newest + timedelta(microseconds=1))
        with storage_errors():
            for layer, folder in staged.items():
                self._place(layer, folder, home / "layers" / layer.folder)
            file = home / "sets" / f"{snapshot.snapshot_id}.json"
            if self._read_set(file) is None:  # it is not there, or damaged
                replace_file(file, encode_set(snapshot), lambda step: self._reached(f"{step}_set"))
            self._point(home, snapshot.snapshot_id)
            self._collect(home, [replaced.snapshot_id] if replaced and not replaced.provisional else [])
        return self.current(snapshot.repository) or snapshot

    def ensure_served(self, snapshot: SnapshotSet) -> None:
        """Do nothing: readers of the folder see the current set already."""

    def rollback(self, repository: str, snapshot_id: str) -> SnapshotSet:
        """Make another set current; "" means the newest with another core, or the newest of all if none is current."""
        home = self._folder / repository
        if not home.is_dir():
            raise RepositoryNotFound.of(repository)
        with self._locked(home):  # a set chosen before the lock is held might be deleted meanwhile
            chosen = self._chosen(repository, snapshot_id)
            self._point(home, chosen.snapshot_id)
        return chosen

    def delete(self, repository: str) -> int:
        """Remove everything of a repository, pointer first, and return how many sets it had."""
        home = self._folder / repository
        if not home.is_dir():
            raise RepositoryNotFound.of(repository)
        with self._locked(home):
            sets = len(self.sets(repository))
            (home / "CURRENT").unlink(missing_ok=True)
            sync(home)
            gone = self._folder / f"{_DELETED}{repository}"
            shutil.rmtree(gone, ignore_errors=True)
            home.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
        return sets

    def tidy(self) -> dict[str, OSError]:
        """
        Remove what crashes left, of removals too; skip repositories into which a process publishes at the moment.

        Returns the errors by name of the folder that was skipped for them.
        """
        passed: dict[str, OSError] = {}
        for home in sorted(self._folder.glob("*/")):
            try:
                self._tidy(home)
            except OSError as error:
                passed[home.name] = error
        return passed

    def _chosen(self, repository: str, snapshot_id: str) -> SnapshotSet:
        """Return the set to roll back to."""
        current, sets = self.current(repository), self.sets(repository)
        if current is None and not sets:
            raise RepositoryNotFound.of(repository)
        if current is not None and snapshot_id == current.snapshot_id:
            text = f"Snapshot {snapshot_id} is current already; list what there is to go back to."
            raise StateForbids(text, metadata={"snapshot_id": snapshot_id})
        named = next((each for each in sets if each.snapshot_id == snapshot_id), None)
        newest = previous_set(sets, current) if current else next(iter(sets), None)
        chosen = named if snapshot_id else newest
        if chosen is None:
            raise SnapshotNotFound(
                f"{repository!r} has no snapshot {snapshot_id or 'before the current one'}; list what there is.",
                metadata={"repository": repository, "snapshot_id": snapshot_id},
            )
        return chosen

    def _tidy(self, home: Path) -> None:
        if home.name.startswith(_DELETED):
            shutil.rmtree(home, ignore_errors=True)
            return
        if home.name.startswith("."):  # a folder of the store itself, such as that of removal notes
            for left in home.glob(".*.new"):
                left.unlink(missing_ok=True)
            return
        with (home / _LOCK).open("w") as file:
            if try_lock(file.fileno()) and (home / "layers").is_dir():
                _empty(home / "staging")
                self._sweep(home)

    def _read_set(self, file: Path) -> SnapshotSet | None:
        try:
            found = decode_set(file.read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return found if found.snapshot_id == file.stem else None

    @contextmanager
    def _locked(self, home: Path) -> Iterator[None]:
        deadline = self._clock.monotonic() + _LOCK_SECONDS
        while True:
            with _lock_file(home) as file:
                if self._clock.monotonic() > deadline:
                    raise StateForbids(f"A job is publishing into {home.name!r}; try again when it has ended.")
                # The lock of a deleted lock file excludes nobody: a repository created anew has a new file.
                if try_lock(file.fileno()) and is_there(home / _LOCK, file.fileno()):
                    yield
                    return
            time.sleep(_LOCK_POLL_SECONDS)

    def _place(self, layer: Layer, staged: Path, target: Path) -> None:
        """Move a staged layer to its place, unless it stands there intact already."""
        (staged / "manifest.json").write_bytes(encode_manifest(layer, staged))
        sync(staged / "manifest.json")
        sync(staged)
        self._reached("after_layer_flushed")
        if target.exists():
            if intact(layer, target):
                return
            shutil.rmtree(target)
        self._reached("before_layer_rename")
        staged.rename(target)
        self._reached("after_layer_rename")
        sync(target.parent)

    def _point(self, home: Path, snapshot_id: str) -> None:
        data = f"{snapshot_id}\n".encode()
        replace_file(home / "CURRENT", data, lambda step: self._reached(f"{step}_current"))

    def _collect(self, home: Path, replaced: list[str]) -> None:
        """Remove sets that are no longer needed, then layers without a set."""
        current = self.current(home.name)
        if current is None:
            return
        keep = kept_sets(self.sets(home.name), current, [*replaced, *self._leased(home)])
        for file in sorted((home / "sets").glob("*.json")):
            if file.stem not in keep:
                file.unlink()
        sync(home / "sets")
        self._reached("before_collect_layers")
        self._sweep(home)

    def _leased(self, home: Path) -> Iterator[str]:
        for file in sorted((home / "leases").glob("*.json")):
            try:
                lease = decode_lease(file.read_bytes(), self._clock.now())
            except OSError:
                lease = None
            if lease is not None and lease.changed is not None and not self._changed(file, lease.changed):
                # The new end was not written. An expired lease is dropped: on a full disk its set must be deletable.
                lease = None if lease.is_over else lease
            if lease is None:
                file.unlink(missing_ok=True)
                continue
            yield lease.snapshot_id

    @staticmethod
    def _changed(file: Path, content: bytes) -> bool:
        try:
            replace_file(file, content, lambda _: None)
        except OSError:
            return False
        return True

    def _sweep(self, home: Path) -> None:
        """
        Remove layers that belong to no set, left by a crash or by deleted sets, and old temporary files.

        While a set cannot be read, all layers stay: the set may be of a later version, or be repaired, and need them.
        """
        sets = [self._read_set(file) for file in sorted((home / "sets").glob("*.json"))]
        named = {layer.folder for each in sets if each for layer in each.layers}
        for folder in sorted((home / "layers").iterdir()) if all(sets) else ():
            if folder.name not in named:
                shutil.rmtree(folder, ignore_errors=True)
        for file in (*home.glob(".*.new"), *(home / "sets").glob(".*.new")):
            file.unlink(missing_ok=True)
        left = self._clock.now().timestamp() - _LEFT_SECONDS
        for file in (home / "leases").glob(".*"):
            with suppress(FileNotFoundError):  # a reader has just renamed it to its final name
                if file.stat().st_mtime < left:
                    file.unlink()


def _lock_file(home: Path) -> IO[str]:
    """Open the lock file of a repository. Raises RepositoryNotFound if the repository was removed."""
    try:
        return (home / _LOCK).open("w")
    except FileNotFoundError:
        raise RepositoryNotFound.of(home.name) from None


def _empty(folder: Path) -> None:
    for child in folder.iterdir():
        shutil.rmtree(child, ignore_errors=True)
