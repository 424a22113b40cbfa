"""What stays in the cache of a retriever, what makes room, and who keeps what from being removed."""

from __future__ import annotations

import asyncio
import errno

import pytest
from structlog.testing import capture_logs

from retriever.domain.errors import CacheFull
from tests.integration.object_store.world import LEASE_SECONDS, Replica, World


def folders(replica: Replica) -> set[str]:
    """Return the repositories that a cache holds."""
    return {path.name for path in replica.root.iterdir() if not path.name.startswith(".")}


async def test_the_least_recently_used_set_makes_room(world: World) -> None:
    """One that was read within the length of a lease stays, and so does what is being read."""
    for name in ("a", "b", "c"):
        world.publish("one.py", repository=name)
    size = (await measured(world)) + 20_000
    replica = world.replica(max_bytes=2 * size)
    await replica.paths("a")
    world.clock.advance(1)
    await replica.paths("b")

    with pytest.raises(CacheFull, match="snapshot_cache_mb"):
        await replica.paths("c")
    world.clock.advance(LEASE_SECONDS)
    assert await replica.paths("c") == ("one.py",)
    assert folders(replica) == {"b", "c"}
    assert replica.meter.evictions == 1
    async with replica.snapshots.open("b", ""):
        world.clock.advance(LEASE_SECONDS + 1)
        assert await replica.paths("a") == ("one.py",)
        assert folders(replica) == {"a", "b"}


async def test_what_serves_makes_no_room_for_its_successor(world: World) -> None:
    """It goes on serving, and who operates the retriever is told that both must fit."""
    world.publish("one.py", repository="a")
    replica = world.replica(max_bytes=await measured(world) + 20_000)
    await replica.paths("a")
    world.publish("two.py", repository="a")
    world.clock.advance(LEASE_SECONDS + 1)
    await replica.snapshots.look()

    assert await replica.paths("a") == ("one.py",)
    assert len(await replica.notes("a")) == 1
    assert replica.meter.evictions == 0


async def test_a_layer_that_two_sets_share_does_not_go_with_the_first(world: World) -> None:
    """After a start nothing is leased: the set before makes room, and its successor comes whole all the same."""
    world.publish("one.py", repository="a")
    most = await measured(world)
    await world.replica().paths("a")
    second = world.publish("one.py", repository="a", findings=True)
    restarted = world.replica(max_bytes=most)
    restarted.cache.follow("a")
    layers = {path.name.partition("-")[0] for path in (restarted.root / "a/layers").iterdir()}

    assert restarted.cache.current("a") == second
    assert layers == {"core", "findings"}


async def test_downloads_at_once_stay_within_the_bound_together(world: World) -> None:
    """A start finds several repositories asked for; what the others are about to write counts."""
    for name in ("a", "b"):
        world.publish("one.py", repository=name)
    replica = world.replica(max_bytes=await measured(world) + 20_000)
    refused: list[CacheFull] = []

    def ask_for_b(name: str, key: str) -> None:
        if name == "parts":
            world.bucket.before = lambda name, key: None
            try:
                replica.cache.follow("b")
            except CacheFull as error:
                refused.append(error)

    world.bucket.before = ask_for_b
    replica.cache.follow("a")

    assert len(refused) == 1
    assert folders(replica) == {"a"}
    world.clock.advance(LEASE_SECONDS + 1)
    replica.cache.follow("b")
    assert folders(replica) == {"b"}


async def measured(world: World) -> int:
    """Return the size of repository "a" in a cache."""
    replica = world.replica("measure")
    await replica.paths("a")
    return sum(path.stat().st_size for path in replica.root.rglob("*") if path.is_file())


async def test_replaced_sets_go_when_nobody_reads_them(world: World) -> None:
    """They stay for running answers, which lease them."""
    first = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    world.publish("two.py")
    await replica.snapshots.look()
    assert await replica.paths(snapshot_id=first) == ("one.py",)

    world.clock.advance(LEASE_SECONDS - 1)
    assert await replica.paths() == ("two.py",)
    world.clock.advance(2)
    await replica.snapshots.look()
    sets = [file.stem for file in (replica.root / "shop/sets").iterdir()]
    assert sets == [world.current()]
    assert len(list((replica.root / "shop/layers").iterdir())) == 1


async def test_a_running_answer_keeps_its_snapshot_in_the_bucket(world: World) -> None:
    """So that another replica finds it there, however many sets have been published since."""
    first = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    await replica.settled()
    for name in ("two.py", "three.py", "four.py"):
        world.publish(name)

    assert await world.replica("other").paths(snapshot_id=first) == ("one.py",)


async def test_a_lease_that_was_not_written_is_written_with_the_next_call(world: World) -> None:
    """Nobody waits for it, and it is not forgotten; the log tells why it is not there."""
    world.publish("one.py")
    replica = world.replica()

    def refuse(name: str, key: str) -> None:
        world.bucket.away = "/leases/" in key

    world.bucket.before = refuse
    with capture_logs() as logs:
        await replica.paths()
        await replica.settled()
    world.bucket.away, world.bucket.before = False, lambda name, key: None
    assert [each["event"] for each in logs if each["log_level"] == "warning"] == ["lease.not_written"]
    assert world.bucket.listed("repositories/shop/leases") == []
    await replica.paths()
    await replica.settled()
    assert len(world.bucket.listed("repositories/shop/leases")) == 1


async def test_a_full_disk_leaves_the_old_set(world: World) -> None:
    """The caller of the old one notices nothing, who wants the new one is told."""
    first = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    second = world.publish("two.py")

    def full(name: str, key: str) -> None:
        if name == "parts":
            raise OSError(errno.ENOSPC, "No space left on device")

    world.bucket.before = full
    await replica.snapshots.look()

    assert await replica.paths() == ("one.py",)
    assert await replica.paths(snapshot_id=first) == ("one.py",)
    with pytest.raises(CacheFull, match="disk is full"):
        await replica.paths(snapshot_id=second)


async def test_many_callers_wait_for_one_download(world: World) -> None:
    """The first question to a repository is often asked by several at once."""
    world.publish("one.py")
    replica = world.replica()
    answers = await asyncio.gather(*(replica.paths() for _ in range(10)))

    assert set(answers) == {("one.py",)}
    assert replica.meter.layers == ["completed"]
