"""What becomes of a cache whose disk is full, was cut off its power, or is cleaned by two at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from retriever.domain.errors import CacheFull, SnapshotDamaged, SnapshotNotFound
from tests.integration.object_store.test_bucket_faults import MEND_SECONDS, objects
from tests.integration.object_store.world import LEASE_SECONDS, World

FULL = Path("/dev/full")
NAMES = [f"r{number}" for number in range(30)]


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("lacking", ["set", "pointer"])
async def test_a_disk_that_is_full_at_the_last_file_is_told_as_that(world: World, lacking: str) -> None:
    """The layers had room, what names them has none: the set before serves, the new one comes when there is room."""
    replica = await world.serving("one.py")
    second = world.publish("two.py")
    home = replica.root / "shop"
    beside = home / (f"sets/.{second}.json.new" if lacking == "set" else ".CURRENT.new")
    beside.symlink_to(FULL)

    with pytest.raises(CacheFull, match="disk is full"):
        replica.cache.follow("shop")
    assert await replica.paths() == ("one.py",)
    beside.unlink()
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
async def test_a_set_that_was_cut_is_fetched_again(world: World, content: str) -> None:
    """A process that lost its power may find a file that is not what was written, current or pinned."""
    first = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    second = world.publish("two.py")
    await replica.snapshots.look()
    await replica.paths()
    for each in (first, second):
        (replica.root / f"shop/sets/{each}.json").write_text(content)
    again = world.replica()

    assert await again.paths() == ("two.py",)
    assert await again.paths(snapshot_id=first) == ("one.py",)


async def test_a_set_of_a_later_format_stays_in_the_cache(world: World) -> None:
    """It is whole, though nothing here can read it: an update that is rolled forward again finds it."""
    first = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    file = replica.root / f"shop/sets/{first}.json"
    file.write_text(file.read_text().replace('"schema_version": 2', '"schema_version": 999'))
    world.replica()

    assert file.exists()


async def test_a_pinned_set_is_mended_when_its_object_is(world: World) -> None:
    """Though another one is current; nobody asks the bucket for it more often than once a minute."""
    first = world.publish("one.py")
    (key,) = objects(world, "core", "code.db")
    whole = world.bucket.read(key) or b""
    world.publish("two.py")
    world.bucket.flip(key)
    replica = world.replica()
    for _ in range(2):
        with pytest.raises(SnapshotDamaged):
            await replica.paths(snapshot_id=first)
    world.bucket.write(key, whole)
    world.bucket.asked.clear()
    with pytest.raises(SnapshotDamaged):
        await replica.paths(snapshot_id=first)
    assert [each for each in world.bucket.asked if "/layers/" in each[1]] == []

    world.clock.advance(MEND_SECONDS)
    assert await replica.paths(snapshot_id=first) == ("one.py",)


async def test_a_later_layer_that_stays_damaged_keeps_no_pinned_set_from_serving(world: World) -> None:
    """Not even while the bucket is away."""
    first = world.publish("one.py", findings=True)
    (key,) = objects(world, "findings", "manifest.json")
    world.bucket.flip(key)
    replica = world.replica()
    assert await replica.paths(snapshot_id=first) == ("one.py",)
    world.clock.advance(MEND_SECONDS)
    assert await replica.paths(snapshot_id=first) == ("one.py",)
    world.clock.advance(MEND_SECONDS)
    world.bucket.away = True
    assert await replica.paths(snapshot_id=first) == ("one.py",)


async def test_two_repositories_may_be_forgotten_at_once(world: World) -> None:
    """Each cleans up behind itself alone, whatever was left by another."""
    replica = world.replica()
    for name in NAMES:
        world.publish("one.py", repository=name)
        await replica.paths(name)
    await replica.settled()
    (replica.root / ".gone" / NAMES[0] / "left").mkdir(parents=True)
    for key in world.bucket.listed():
        world.bucket.remove([key])
    failures: list[BaseException] = []

    def follow(names: list[str]) -> None:
        for name in names:
            try:
                replica.cache.follow(name)
            except OSError as error:
                failures.append(error)

    threads = [threading.Thread(target=follow, args=(NAMES[start::3],)) for start in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert failures == []
    assert {path.name for path in replica.root.iterdir()} <= {".gone", ".staging"}


async def test_a_lease_that_comes_while_sets_are_collected_is_of_no_harm_to_its_holder(world: World) -> None:
    """It has what it reads; others are told that the set is gone, as they would have been a moment earlier."""
    first = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    await replica.settled()
    for name in ("two.py", "three.py"):
        world.publish(name)
        world.clock.advance(LEASE_SECONDS + 1)  # a lease that is found over keeps its set for its length once more
    leased: list[str] = []

    def lease(name: str, key: str) -> None:
        if name == "remove" and first in key and not leased:
            leased.append(key)
            world.bucket.write(f"repositories/shop/leases/late-{first[:16]}.json", b"{}")

    world.bucket.before = lease
    world.publish("four.py")

    assert leased
    assert await replica.paths(snapshot_id=first) == ("one.py",)
    with pytest.raises(SnapshotNotFound):
        await world.replica("other").paths(snapshot_id=first)
    assert await world.replica("third").paths() == ("four.py",)
