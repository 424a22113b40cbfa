"""
Uploads what is published in the data folder to object storage, in the layout of docs/snapshot-format.md.

Whenever this process dies, readers see the old set or the new one as a whole: the files of a layer are uploaded first,
then its manifest, then the set, then CURRENT; removal goes in the opposite order. A pending upload is noted on disk
before the data folder changes, so that it is made up for after a crash. An upload compares both sides first and can be
repeated.
"""

from __future__ import annotations

import fcntl
import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from indexer.adapters.store.bucket.claim import BucketClaim
from indexer.adapters.store.disk import storage_errors, sync, try_lock
from indexer.adapters.store.leases import decode_lease
from indexer.adapters.store.manifests import decode_set
from indexer.adapters.store.removals import FOLDER, is_told
from indexer.domain.errors import LayerDamaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from common.core.clock import Clock
    from common.objects.bucket import Bucket
    from indexer.adapters.store.snapshots import FolderSnapshotStore
    from indexer.domain.snapshots.snapshot import Layer, SnapshotSet

_ATTEMPTS = 3
"""Attempts at an upload: a publication meanwhile may remove a layer; if the last attempt fails, it counts as damage."""
_REPOSITORIES = "repositories"
_REMOVED = f"{_REPOSITORIES}/{FOLDER}"
_MANIFEST = "manifest.json"


class SnapshotUploads:
    """
    Keeps the bucket in step with the data folder.

    Args:
        store: What is published in the data folder.
        data: The data folder.
        bucket: Below its prefix only this data folder writes, which the claim ensures.
        clock: Judges whether leases are over.
        reached: Called with the name of each step; tests end the process there.
    """

    def __init__(
        self,
        store: FolderSnapshotStore,
        data: Path,
        bucket: Bucket,
        clock: Clock,
        reached: Callable[[str], None],
    ) -> None:
        self._store = store
        self._folder = data / _REPOSITORIES
        own = data / "indexer" / "uploads"
        self._owed, self._begun, self._locks, self._counted = own / "owed", own / "begun", own / "locks", own / "bytes"
        self._bucket = bucket
        self.claim = BucketClaim(bucket, own / "name", clock)
        self._clock = clock
        self._reached = reached

    def close(self) -> None:
        """Cancel running uploads; they stay in the outbox."""
        self._bucket.close()

    def owe(self, repository: str) -> None:
        """Note that a repository has to be uploaded. Raises StorageFull."""
        with storage_errors():
            for folder in (self._owed, self._begun, self._locks):
                folder.mkdir(parents=True, exist_ok=True)
            _note(self._owed / repository)

    def owed(self) -> tuple[str, ...]:
        """Return the repositories with pending uploads that are not being uploaded now, in order."""
        noted = {file.name for folder in (self._owed, self._begun) for file in folder.glob("*")}
        return tuple(sorted(name for name in noted if not self._is_held(name)))

    def bring(self, repository: str) -> None:
        """Upload the current set of a repository. Raises ObjectStoreUnavailable, LayerDamaged."""
        self.owe(repository)
        with self._alone(repository):
            self.claim.hold()
            _note(self._begun / repository)
            (self._owed / repository).unlink(missing_ok=True)
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    self._bring(repository)
                    break
                except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError) as error:
                    # A missing file was deleted because another set has become current; otherwise the layer is damaged.
                    if attempt == _ATTEMPTS:
                        raise LayerDamaged(f"a layer of {repository!r} is not whole; index it again") from error
            (self._begun / repository).unlink(missing_ok=True)

    def uploaded(self) -> int:
        """Return the bytes of layers that any process has uploaded since the last call."""
        if not self._counted.exists():
            return 0
        with self._counted.open("r+") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            numbers = file.read().split()
            file.truncate(0)
        return sum(int(each) for each in numbers if each.isdigit())

    def _count(self, number: int) -> None:
        """Add uploaded bytes to a file, which `uploaded` reads: this process may be one without metrics."""
        with suppress(OSError), self._counted.open("a") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            file.write(f"{number}\n")

    def has(self, repository: str) -> bool:
        """Return whether the bucket knows a repository. Raises ObjectStoreUnavailable."""
        keys = (f"{_REPOSITORIES}/{repository}/{name}" for name in ("CURRENT", "ANNOUNCED"))
        return any(self._bucket.look(key) is not None for key in keys)

    def remove(self, repository: str) -> None:
        """Remove a repository from the bucket, CURRENT first; upload a note of it. Raises ObjectStoreUnavailable."""
        home = f"{_REPOSITORIES}/{repository}"
        self.owe(repository)
        with self._alone(repository):
            self.claim.hold()
            there = self._bucket.sizes(home)
            manifests = [key for key in there if key.endswith(f"/{_MANIFEST}")]
            first = [f"{home}/CURRENT", f"{home}/ANNOUNCED"]
            for keys in (first, [key for key in there if key.startswith(f"{home}/sets/")], manifests, list(there)):
                self._bucket.remove(keys)
                self._reached("after_removed_objects")
            self._tell_removal(repository)
            for folder in (self._owed, self._begun):
                (folder / repository).unlink(missing_ok=True)

    def _bring(self, repository: str) -> None:
        home = f"{_REPOSITORIES}/{repository}"
        there = self._bucket.sizes(home)
        current = self._store.current(repository)
        if current is None:
            if (self._folder / repository).is_dir() and f"{home}/ANNOUNCED" not in there:
                self._bucket.write(f"{home}/ANNOUNCED", b"\n")
            return
        for layer in current.layers:
            self._bring_layer(f"{home}/layers/{layer.folder}", self._store.layer_folder(repository, layer), there)
        self._reached("before_set_object")
        name = f"sets/{current.snapshot_id}.json"
        content = (self._folder / repository / name).read_bytes()
        if there.get(f"{home}/{name}") != len(content):
            self._bucket.write(f"{home}/{name}", content)
        self._reached("before_current_object")
        self.claim.hold()  # uploading layers takes long: the claim may have been lost
        pointer = f"{current.snapshot_id}\n".encode()
        if f"{home}/CURRENT" not in there or self._bucket.read(f"{home}/CURRENT") != pointer:
            self._bucket.write(f"{home}/CURRENT", pointer)
        self._reached("after_current_object")
        self._collect(repository, current, there)

    def _bring_layer(self, place: str, folder: Path, there: Mapping[str, int]) -> None:
        manifest = (folder / _MANIFEST).read_bytes()
        files: dict[str, Any] = json.loads(manifest)["files"]
        same = f"{place}/{_MANIFEST}" in there and self._bucket.read(f"{place}/{_MANIFEST}") == manifest
        lacking = [name for name, entry in files.items() if there.get(f"{place}/{name}") != entry["bytes"]]
        if same and not lacking:
            return
        if f"{place}/{_MANIFEST}" in there:
            self._bucket.remove([f"{place}/{_MANIFEST}"])
        for name in lacking if same else files:
            self._bucket.upload(f"{place}/{name}", folder / name)
            self._count(files[name]["bytes"])
            self._reached("after_file_object")
        self._bucket.write(f"{place}/{_MANIFEST}", manifest)
        self._reached("after_manifest_object")

    def _collect(self, repository: str, current: SnapshotSet, there: Mapping[str, int]) -> None:
        """Remove sets that are neither in the data folder nor leased, then layers of no set, manifests first."""
        home = f"{_REPOSITORIES}/{repository}"
        sets = {key.removeprefix(f"{home}/sets/").removesuffix(".json") for key in there if f"{home}/sets/" in key}
        known = {each.snapshot_id: each.layers for each in (*self._store.sets(repository), current)}
        for name in sorted(self._leased(home) & sets - known.keys()):
            layers = self._layers(f"{home}/sets/{name}.json")
            if layers is None:
                return  # its layers are not known
            known[name] = layers
        self._bucket.remove([f"{home}/sets/{name}.json" for name in sorted(sets - known.keys())])
        self._reached("before_collect_objects")
        needed = tuple(f"{home}/layers/{layer.folder}/" for layers in known.values() for layer in layers)
        left = [key for key in there if key.startswith(f"{home}/layers/") and not key.startswith(needed)]
        self._bucket.remove([key for key in left if key.endswith(f"/{_MANIFEST}")])
        self._bucket.remove([key for key in left if not key.endswith(f"/{_MANIFEST}")])

    def _layers(self, key: str) -> tuple[Layer, ...] | None:
        data = self._bucket.read(key)
        try:
            return None if data is None else decode_set(data).layers
        except ValueError:
            return None

    def _leased(self, home: str) -> set[str]:
        """Return the sets that readers have leased, and remove expired leases."""
        leased, over = set(), []
        for key in self._bucket.sizes(f"{home}/leases"):
            lease = decode_lease(self._bucket.read(key) or b"", self._clock.now())
            if lease is None:
                over.append(key)
                continue
            if lease.changed is not None:
                self._bucket.write(key, lease.changed)
            leased.add(lease.snapshot_id)
        self._bucket.remove(over)
        return leased

    def _tell_removal(self, repository: str) -> None:
        """Upload the note of a removal, and delete notes from the bucket that are older than a year."""
        note = self._folder / FOLDER / f"{repository}.json"
        if note.exists():
            self._bucket.write(f"{_REMOVED}/{note.name}", note.read_bytes())
        for key in self._bucket.sizes(_REMOVED):
            is_here = (self._folder / FOLDER / key.rpartition("/")[2]).exists()
            if not is_here and not is_told(self._bucket.read(key) or b"", self._clock.now()):
                self._bucket.remove([key])

    @contextmanager
    def _alone(self, repository: str) -> Iterator[None]:
        """Keep other processes from uploading the same repository, by a lock that does not outlive the process."""
        with (self._locks / repository).open("w") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            yield

    def _is_held(self, repository: str) -> bool:
        with (self._locks / repository).open("w") as lock:
            return not try_lock(lock.fileno())


def _note(file: Path) -> None:
    """Create a note, an empty file, that survives a loss of power."""
    if not file.exists():
        file.touch()
        sync(file.parent)
