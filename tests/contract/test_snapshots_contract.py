"""One suite over both ways from an indexer to a retriever: a folder that both see, and a bucket between two folders."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from common.objects.bucket import Bucket, open_bucket
from common.objects.settings import ObjectStoreSettings
from indexer.adapters.store.core.opening import open_store, open_uploads
from indexer.adapters.store.removals import RemovalNotes as IndexerNotes
from indexer.settings import IndexerSettings
from retriever.adapters.bucket.removal_notes import BucketRemovalNotes
from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.leases import Leases
from retriever.adapters.snapshots.opening import LayerOpeners
from retriever.adapters.snapshots.removal_notes import RemovalNotes
from retriever.adapters.snapshots.store import FolderSnapshots
from retriever.domain.errors import (
    IndexNotReady,
    RepositoryNotFound,
    SnapshotDamaged,
    SnapshotNotFound,
    SnapshotUnsupported,
)
from retriever.ports import Removals, SnapshotStore
from tests.fakes.clock import FakeClock
from tests.fakes.object_store import s3_server
from tests.integration.object_store.world import Replica, publish

BUCKET = "contract"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """Run a server that speaks S3."""
    with s3_server(BUCKET) as address:
        yield address


@dataclass
class Way:
    """Both ends of one way; `damage` changes a byte of the core that is current on the reader's side of it."""

    settings: IndexerSettings
    scratch: Path
    snapshots: SnapshotStore
    removals: Removals
    replica: Replica | None = None
    bucket: Bucket | None = None

    def publish(self, *paths: str, **more: Any) -> str:
        """Publish a snapshot of these files."""
        return publish(open_store(self.settings), self.scratch, *paths, **more)

    def announce(self, repository: str) -> None:
        """Let a repository be known."""
        open_store(self.settings).announce(repository)
        if uploads := open_uploads(self.settings):
            uploads.bring(repository)

    def delete(self, repository: str) -> None:
        """Remove a repository as the service does."""
        open_store(self.settings).delete(repository)
        IndexerNotes(self.settings.data_dir / "repositories", FakeClock()).remove(repository)
        if uploads := open_uploads(self.settings):
            uploads.remove(repository)

    async def news(self) -> None:
        """Let the reader look for news."""
        if self.replica is not None:
            await self.replica.snapshots.look()

    async def paths(self, repository: str = "shop", snapshot_id: str = "") -> tuple[str, ...]:
        """Return the files of a snapshot."""
        async with self.snapshots.open(repository, snapshot_id) as snapshot:
            return tuple(file.path for file in snapshot.files.all())

    def damage(self, snapshot_id: str) -> None:
        """Change a byte of the core of a set."""
        store = open_store(self.settings)
        layer = next(each for each in store.sets("shop") if each.snapshot_id == snapshot_id).layers[0]
        name = f"repositories/shop/layers/{layer.folder}/code.db"
        data = bytearray((self.settings.data_dir / name).read_bytes())
        data[-1] ^= 1
        if self.bucket is not None:
            self.bucket.write(name, bytes(data))
        else:
            (self.settings.data_dir / name).write_bytes(data)

    def make_later(self, snapshot_id: str) -> None:
        """Change a set into one of the next format."""
        name = f"repositories/shop/sets/{snapshot_id}.json"
        data = (self.settings.data_dir / name).read_bytes().replace(b'"schema_version": 2', b'"schema_version": 3')
        if self.bucket is not None:
            self.bucket.write(name, data)
        else:
            (self.settings.data_dir / name).write_bytes(data)


@contextmanager
def by_folder(folder: Path) -> Iterator[Way]:
    """One folder for both."""
    settings = IndexerSettings(data_dir=folder / "data")
    root = settings.data_dir / "repositories"
    root.mkdir(parents=True)
    openers = LayerOpeners(read_statements(), SqliteLexical)
    leases = Leases(FakeClock(), "me", lease_seconds=600)
    store = FolderSnapshots(root, openers, leases, keep_open=2, on_failure=lambda _: None)
    yield Way(settings, folder / "scratch", store, RemovalNotes(root))
    store.close()


@contextmanager
def by_bucket(folder: Path, endpoint: str) -> Iterator[Way]:
    """Two folders, and a prefix of its own in a bucket."""
    place = ObjectStoreSettings(
        object_store_url=f"s3://{BUCKET}/{folder.name}",
        object_store_endpoint=endpoint,
        object_store_access_key="key",
        object_store_secret_key="secret",
    )
    settings = IndexerSettings(data_dir=folder / "data", **vars(place))
    (settings.data_dir / "repositories").mkdir(parents=True)
    bucket = open_bucket(place)
    replica = Replica(folder / "replica", bucket, FakeClock(), 1 << 30)
    yield Way(settings, folder / "scratch", replica.snapshots, BucketRemovalNotes(bucket), replica, bucket)
    replica.close()


@pytest.fixture(params=["folder", "bucket"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Way]:
    """Each way in turn."""
    if request.param == "folder":
        with by_folder(tmp_path) as made:
            yield made
    else:
        with by_bucket(tmp_path, request.getfixturevalue("endpoint")) as made:
            yield made


async def test_the_newest_set_is_served_and_a_pinned_one_stays(way: Way) -> None:
    """CURRENT decides for calls without a snapshot."""
    first = way.publish("one.py")
    assert await way.paths() == ("one.py",)
    second = way.publish("two.py", findings=True)
    await way.news()

    assert await way.paths() == ("two.py",)
    assert await way.paths(snapshot_id=first) == ("one.py",)
    async with way.snapshots.open("shop", "") as snapshot:
        assert snapshot.info.snapshot_id == second
        assert snapshot.info.layers == ("core", "findings")
        assert snapshot.notes == ()


async def test_what_is_missing_is_told_alike(way: Way) -> None:
    """Repository, first snapshot, snapshot."""
    way.publish("one.py")
    way.announce("new")

    for name in ("nothing", "../shop", "sh op", ".removed"):
        with pytest.raises(RepositoryNotFound):
            await way.paths(name)
    with pytest.raises(IndexNotReady):
        await way.paths("new")
    for snapshot_id in ("0" * 64, "short", "../../x"):
        with pytest.raises(SnapshotNotFound):
            await way.paths(snapshot_id=snapshot_id)


async def test_a_damaged_core_is_not_served(way: Way) -> None:
    """The one before is, with a note; who pinned the damaged one is told."""
    way.publish("one.py")
    bad = way.publish("two.py")
    way.damage(bad)

    async with way.snapshots.open("shop", "") as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["one.py"]
        assert snapshot.notes == (f"snapshot {bad[:12]}: damaged, an earlier one was read",)
    with pytest.raises(SnapshotDamaged):
        await way.paths(snapshot_id=bad)


async def test_a_set_of_the_next_format_is_not_served(way: Way) -> None:
    """The one before is, as long as it takes until this reader is upgraded or there is another."""
    way.publish("one.py")
    later = way.publish("two.py")
    way.make_later(later)

    for _ in range(3):
        async with way.snapshots.open("shop", "") as snapshot:
            assert [file.path for file in snapshot.files.all()] == ["one.py"]
            why = "of a format that is not known here"
            assert snapshot.notes == (f"snapshot {later[:12]}: {why}, an earlier one was read",)
        await way.news()
    with pytest.raises(SnapshotUnsupported):
        await way.paths(snapshot_id=later)
    way.publish("three.py")
    await way.news()
    assert await way.paths() == ("three.py",)


async def test_a_rollback_serves_the_set_before(way: Way) -> None:
    """And going forward again the newer one."""
    way.publish("one.py")
    second = way.publish("two.py")
    assert await way.paths() == ("two.py",)
    store = open_store(way.settings)
    store.rollback("shop", "")
    await way.news()

    assert await way.paths() == ("one.py",)
    store.rollback("shop", second)
    await way.news()
    assert await way.paths() == ("two.py",)


async def test_the_set_of_a_commit_is_found(way: Way) -> None:
    """By all that are published, not by the current one."""
    first = way.publish("one.py", commit="aaa")
    way.publish("two.py", commit="bbb")

    assert await way.snapshots.at_revision("shop", "aaa") == first
    assert await way.snapshots.at_revision("shop", first) == first
    assert await way.snapshots.at_revision("shop", "") == ""
    with pytest.raises(SnapshotNotFound):
        await way.snapshots.at_revision("shop", "ccc")
    with pytest.raises(RepositoryNotFound):
        await way.snapshots.at_revision("nothing", "aaa")


async def test_a_removal_is_told_and_one_that_is_indexed_again_as_well(way: Way) -> None:
    """What is kept elsewhere goes by that; what is kept of the new one stays."""
    way.publish("one.py")
    way.publish("one.py", repository="other")
    await way.paths()
    way.delete("shop")
    way.delete("other")
    way.publish("two.py", repository="other")
    await way.news()

    told = way.removals.all()
    assert [(each.repository, each.indexed_again) for each in told] == [("other", True), ("shop", False)]
    assert {each.remove_time for each in told} == {FakeClock().now()}
    with pytest.raises(RepositoryNotFound):
        await way.paths()
    assert await way.paths("other") == ("two.py",)


def test_many_publications_at_once_keep_what_is_current_whole(way: Way) -> None:
    """Whoever comes last is current on both sides."""
    names = [f"r{number}" for number in range(4)]

    def work(name: str) -> str:
        scratch = way.scratch / name
        for path in ("one.py", "two.py"):
            last = publish(open_store(way.settings), scratch, path, repository=name)
        return last

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(work, names))
    store = open_store(way.settings)
    for name, snapshot_id in zip(names, ids, strict=True):
        current = store.current(name)
        assert current is not None
        assert current.snapshot_id == snapshot_id
        if way.bucket is not None:
            assert way.bucket.read(f"repositories/{name}/CURRENT") == f"{snapshot_id}\n".encode()
