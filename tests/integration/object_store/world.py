"""An indexer's store and any number of retrievers with caches, in this process, with one bucket between them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from common.objects.bucket import Bucket, ObjectStoreUnavailable
from indexer.adapters.store.bucket.claim import LEASE_SECONDS as CLAIM_SECONDS
from indexer.adapters.store.bucket.mirrored import MirroredSnapshotStore
from indexer.adapters.store.bucket.uploads import SnapshotUploads
from indexer.adapters.store.snapshots import FolderSnapshotStore
from indexer.domain.snapshots.snapshot import Counts, Layer, SnapshotSet
from retriever.adapters.bucket.cache import SnapshotCache
from retriever.adapters.bucket.cache_folder import CacheFolder
from retriever.adapters.bucket.leases import BucketLeases
from retriever.adapters.bucket.serving import CachedSnapshots
from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import Layer as ReadLayer
from retriever.adapters.snapshots.opening import LayerOpeners
from retriever.adapters.snapshots.store import FolderSnapshots
from tests.fakes.clock import FakeClock
from tests.fakes.object_store import SwitchedBucket
from tests.fakes.snapshot_builder import SnapshotBuilder

LEASE_SECONDS = 600.0
TEXT = "def one():\n    return 1\n"


class Counted:
    """Remembers what a cache counts."""

    def __init__(self) -> None:
        self.layers: list[str] = []
        self.bytes = 0
        self.evictions = 0
        self.held = 0
        self.away = 0

    def layer_fetched(self, outcome: str) -> None:
        """Remember a layer."""
        self.layers.append(outcome)

    def bytes_fetched(self, number: int) -> None:
        """Remember bytes."""
        self.bytes += number

    def evicted(self) -> None:
        """Remember an eviction."""
        self.evictions += 1

    def cache_holds(self, number: int) -> None:
        """Remember the size."""
        self.held = number

    def failed(self) -> None:
        """Remember a look that failed."""
        self.away += 1


class Replica:
    """A retriever's view of the bucket, with a cache in a folder of its own."""

    def __init__(self, root: Path, bucket: Bucket, clock: FakeClock, max_bytes: int, poll_seconds: float = 5.0) -> None:
        self.root = root
        self.meter = Counted()
        self.failures: list[str] = []
        self.workers, self.told = ThreadPoolExecutor(2), ThreadPoolExecutor(1)
        self.served = FolderSnapshots(
            root,
            LayerOpeners(read_statements(), SqliteLexical),
            BucketLeases(clock, root.name, bucket, self.told, lease_seconds=LEASE_SECONDS),
            keep_open=2,
            on_failure=self.failures.append,
            renew=self._renew,
        )
        folder = CacheFolder(root, clock, self.served.drop, lease_seconds=LEASE_SECONDS)
        self.cache = SnapshotCache(folder, bucket, clock, self.meter, max_bytes=max_bytes, go_on=lambda: None)
        self.snapshots = CachedSnapshots(
            self.served,
            self.cache,
            clock,
            self.workers,
            poll_seconds=poll_seconds,
            follow_seconds=LEASE_SECONDS,
            on_away=self.meter.failed,
        )

    def _renew(self, repository: str, layer: ReadLayer) -> None:
        self.cache.renew(repository, layer)

    async def paths(self, repository: str = "shop", snapshot_id: str = "") -> tuple[str, ...]:
        """Return the files of a snapshot."""
        async with self.snapshots.open(repository, snapshot_id) as snapshot:
            return tuple(file.path for file in snapshot.files.all())

    async def notes(self, repository: str = "shop") -> tuple[str, ...]:
        """Return what a caller is told beside the current snapshot."""
        async with self.snapshots.open(repository, "") as snapshot:
            return snapshot.notes

    async def settled(self) -> None:
        """Wait until the leases are written that calls left to do beside them."""
        await asyncio.to_thread(self.told.submit(lambda: None).result)

    def close(self) -> None:
        """Let everything go."""
        self.workers.shutdown(wait=True)
        self.told.shutdown(wait=True)
        self.served.close()


@dataclass
class World:
    """
    The folders of all, below one.

    Args:
        reached: Hears of the steps of publication and upload.
    """

    folder: Path
    bucket: SwitchedBucket = field(default_factory=SwitchedBucket)
    clock: FakeClock = field(default_factory=FakeClock)
    reached: Callable[[str], None] = lambda step: None
    replicas: list[Replica] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Make the indexer's side."""
        self.data = self.folder / "indexer"
        repositories = self.data / "repositories"
        repositories.mkdir(parents=True, exist_ok=True)
        plain = FolderSnapshotStore(repositories, self.clock, self._step)
        self.uploads = SnapshotUploads(plain, self.data, self.bucket, self.clock, self._step)
        self.store = MirroredSnapshotStore(repositories, self.clock, self._step, self.uploads)

    def _step(self, step: str) -> None:
        self.reached(step)

    def publish(self, *paths: str, repository: str = "shop", commit: str = "c0ffee", findings: bool = False) -> str:
        """Publish a snapshot of files of these names and return its id."""
        return publish(
            self.store, self.folder / "scratch", *paths, repository=repository, commit=commit, findings=findings
        )

    def take_over(self) -> None:
        """Wait until the bucket of another indexer, which is gone, is this one's."""
        with pytest.raises(ObjectStoreUnavailable):
            self.uploads.claim.hold()
        self.clock.advance(CLAIM_SECONDS)
        self.uploads.claim.hold()

    def replica(self, name: str = "replica", *, max_bytes: int = 1 << 30, poll_seconds: float = 5.0) -> Replica:
        """Start a retriever; the same name takes over the cache."""
        made = Replica(self.folder / name, self.bucket, self.clock, max_bytes, poll_seconds)
        self.replicas.append(made)
        return made

    async def serving(self, *paths: str) -> Replica:
        """Publish a snapshot of files of these names, and start a retriever that has it."""
        self.publish(*paths)
        replica = self.replica()
        await replica.paths()
        return replica

    def current(self, repository: str = "shop") -> str:
        """Return what CURRENT names in the bucket, "" for nothing."""
        was, self.bucket.away = self.bucket.away, False
        found = self.bucket.read(f"repositories/{repository}/CURRENT")
        self.bucket.away = was
        return found.decode().strip() if found else ""

    def close(self) -> None:
        """Close all retrievers."""
        for each in self.replicas:
            each.close()


def publish(
    store: FolderSnapshotStore,
    scratch: Path,
    *paths: str,
    repository: str = "shop",
    commit: str = "c0ffee",
    findings: bool = False,
) -> str:
    """Publish a snapshot of files of these names in a store and return its id."""
    shutil.rmtree(scratch, ignore_errors=True)
    builder = SnapshotBuilder(commit=commit)
    for path in paths:
        builder.python(path, TEXT)
    builder.publish(scratch, repository, findings=[] if findings else None)
    home = scratch / "repositories" / repository
    written = json.loads((home / "sets" / f"{(home / 'CURRENT').read_text().strip()}.json").read_text())
    layers = tuple(Layer(each["kind"], each["digest"], max(1, each["bytes"])) for each in written["layers"])
    store.announce(repository)
    with store.staging(repository) as staging:
        staged = {}
        for layer in layers:
            staged[layer] = staging / layer.kind
            (home / "layers" / layer.folder / "manifest.json").unlink()
            shutil.copytree(home / "layers" / layer.folder, staged[layer])
        time = datetime(2026, 1, 1, tzinfo=UTC)
        snapshot = SnapshotSet(repository, f"source {commit}", commit, False, time, Counts(), layers)
        return store.publish(snapshot, staged).snapshot_id
