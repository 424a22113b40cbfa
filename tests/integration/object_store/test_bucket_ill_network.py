"""The way to the bucket is ill: overloaded, cut, redirected, hanging. Real client, real protocol, faulty proxy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb

from common.core.errors import DependencyUnavailable
from common.objects.bucket import Bucket, ObjectStoreUnavailable, open_bucket
from common.objects.settings import ObjectStoreSettings
from indexer.adapters.store.bucket.mirrored import MirroredSnapshotStore
from indexer.adapters.store.bucket.uploads import SnapshotUploads
from indexer.adapters.store.snapshots import FolderSnapshotStore
from tests.fakes.clock import FakeClock
from tests.fakes.faulty_proxy import SLOW_DOWN, Fault, FaultyProxy, Says
from tests.fakes.object_store import s3_server
from tests.fakes.retrieving import retriever_over
from tests.integration.object_store.world import Replica, publish

NAME = "bucket-of-tests"
MOST_ATTEMPTS = 6
MORE_THAN_ANY_POOL = 40
SICK: dict[str, Fault | Says] = {
    "overloaded": Says(503, SLOW_DOWN),
    "breaking off": Fault.RESET,
    "breaking off midway": Fault.CUT,
    "redirecting": Says(301, location="http://127.0.0.1:9/x"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Run a server that speaks S3."""
    with s3_server(NAME) as address:
        yield address


@pytest.fixture
def proxy(server: str) -> Iterator[FaultyProxy]:
    """Run a proxy before it."""
    with FaultyProxy(server) as running:
        yield running


def told(proxy: FaultyProxy, prefix: str) -> ObjectStoreSettings:
    """Return settings that lead through the proxy."""
    return ObjectStoreSettings(
        object_store_url=f"s3://{NAME}/{prefix}",
        object_store_endpoint=proxy.url,
        object_store_access_key="key",
        object_store_secret_key="secret",
    )


@pytest.fixture
def bucket(proxy: FaultyProxy, tmp_path: Path) -> Iterator[Bucket]:
    """A bucket behind the proxy, empty."""
    opened = open_bucket(told(proxy, tmp_path.name))
    yield opened
    opened.close()


class Publisher:
    """The indexer's side."""

    def __init__(self, folder: Path, bucket: Bucket, clock: FakeClock) -> None:
        self.clock = clock
        self._folder = folder
        repositories = folder / "repositories"
        repositories.mkdir(parents=True)
        plain = FolderSnapshotStore(repositories, clock, lambda step: None)
        self.uploads = SnapshotUploads(plain, folder, bucket, clock, lambda step: None)
        self._store = MirroredSnapshotStore(repositories, clock, lambda step: None, self.uploads)

    def publish(self, path: str, *, findings: bool = False) -> str:
        """Publish a snapshot of a file of this name."""
        return publish(self._store, self._folder / "scratch", path, findings=findings)


@pytest.fixture
def publisher(tmp_path: Path, bucket: Bucket) -> Publisher:
    """An indexer's side."""
    return Publisher(tmp_path / "indexer", bucket, FakeClock())


@pytest.fixture
def replica(tmp_path: Path, bucket: Bucket, publisher: Publisher) -> Iterator[Replica]:
    """A retriever's side."""
    made = Replica(tmp_path / "replica", bucket, publisher.clock, 1 << 30)
    yield made
    made.close()


@pytest.mark.parametrize("sickness", SICK)
async def test_what_is_here_serves_while_the_bucket_is_ill(
    proxy: FaultyProxy, publisher: Publisher, replica: Replica, sickness: str
) -> None:
    """A few attempts, a number and a note; when the bucket is well, the new set follows."""
    publisher.publish("one.py")
    await replica.paths()
    await replica.settled()
    publisher.publish("two.py")
    proxy.asked.clear()
    proxy.fault = lambda method, path: SICK[sickness]
    await replica.snapshots.look()

    assert await replica.paths() == ("one.py",)
    assert await replica.notes() == (
        "object storage: looking for a newer snapshot failed, the one in the cache was read",
    )
    assert replica.meter.away == 1
    assert len(proxy.asked) <= MOST_ATTEMPTS
    proxy.fault = lambda method, path: None
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)


@pytest.mark.parametrize("fault", [Says(503, SLOW_DOWN), Fault.RESET, Fault.CUT, Fault.LOST_ANSWER])
async def test_what_goes_wrong_now_and_then_is_noticed_by_nobody(
    proxy: FaultyProxy, publisher: Publisher, replica: Replica, fault: Fault | Says
) -> None:
    """Every third request fails once, of publication and of what follows it alike."""
    proxy.fault = lambda method, path: fault if len(proxy.asked) % 3 == 0 else None
    publisher.publish("one.py", findings=True)
    publisher.publish("two.py")

    assert await replica.paths() == ("two.py",)
    assert set(replica.meter.layers) == {"completed"}


@pytest.mark.parametrize("sickness", ["overloaded", "breaking off"])
async def test_a_publication_to_a_bucket_that_is_ill_follows_later(
    proxy: FaultyProxy, publisher: Publisher, replica: Replica, sickness: str
) -> None:
    """The job fails and says why, readers keep what they had, and it is noted what is owed."""
    publisher.publish("one.py")
    proxy.asked.clear()
    proxy.fault = lambda method, path: SICK[sickness]
    with pytest.raises(DependencyUnavailable, match=r"does not answer.*follows by itself"):
        publisher.publish("two.py")

    assert len(proxy.asked) <= MOST_ATTEMPTS
    proxy.fault = lambda method, path: None
    assert await replica.paths() == ("one.py",)
    publisher.uploads.bring("shop")
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)


def test_a_bucket_of_another_place_is_told_as_that(proxy: FaultyProxy, bucket: Bucket) -> None:
    """Amazon redirects who asks in another region; nobody would guess that from silence."""
    proxy.fault = lambda method, path: Says(301)

    with pytest.raises(ObjectStoreUnavailable, match=r"is elsewhere.*object_store_region"):
        bucket.read("key")


async def test_a_bucket_that_hangs_does_not_hold_up_the_end(proxy: FaultyProxy, tmp_path: Path) -> None:
    """A stop breaks off what waits for it, looks and downloads alike."""
    proxy.fault = lambda method, path: Fault.HANG
    async with retriever_over(
        tmp_path,
        grace_seconds=0.1,
        embedding_provider="none",
        object_store_url=f"s3://{NAME}/{tmp_path.name}",
        object_store_endpoint=proxy.url,
        object_store_access_key="key",
        object_store_secret_key="secret",
    ) as stub:
        with suppress(grpc.aio.AioRpcError):
            await stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop", name="one"), timeout=0.5)
        assert proxy.asked
        begun = time.monotonic()

    assert time.monotonic() - begun < 5


async def test_a_bucket_that_hangs_takes_no_threads_from_reading(
    proxy: FaultyProxy, bucket: Bucket, publisher: Publisher, replica: Replica
) -> None:
    """Citations of commits that are not here are looked for in the bucket; what is here is read all the same."""
    publisher.publish("one.py")
    await replica.paths()
    proxy.fault = lambda method, path: Fault.HANG
    waiting = [
        asyncio.create_task(replica.snapshots.at_revision("shop", f"{number:040x}"))
        for number in range(MORE_THAN_ANY_POOL)
    ]
    await asyncio.sleep(0.1)
    async with asyncio.timeout(20):
        assert await replica.paths() == ("one.py",)
    await asyncio.to_thread(bucket.close)
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(each) for each in ended} == {ObjectStoreUnavailable}


def test_a_bucket_that_was_closed_answers_nobody(proxy: FaultyProxy, bucket: Bucket) -> None:
    """Whoever waits for it is woken, and who comes later is told at once."""
    bucket.write("key", b"1")
    bucket.close()
    proxy.asked.clear()

    with pytest.raises(ObjectStoreUnavailable, match="is not asked any more"):
        bucket.read("key")
    assert proxy.asked == []
    bucket.close()
