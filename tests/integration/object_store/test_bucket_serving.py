"""What is published through a bucket is what retrievers with folders of their own serve."""

from __future__ import annotations

import pytest

from retriever.domain.errors import IndexNotReady, RepositoryNotFound, SnapshotNotFound
from tests.integration.object_store.world import LEASE_SECONDS, World


async def test_what_is_published_is_served_elsewhere(world: World) -> None:
    """The retriever has never seen the indexer's folder."""
    snapshot_id = world.publish("one.py", findings=True)
    replica = world.replica()

    assert await replica.paths() == ("one.py",)
    assert await replica.paths(snapshot_id=snapshot_id) == ("one.py",)
    assert replica.meter.layers == ["completed", "completed"]


async def test_a_new_set_is_taken_up_by_the_next_look_and_layers_come_once(world: World) -> None:
    """The old one serves until then; a layer that both sets have is not fetched again."""
    replica = await world.serving("one.py")
    world.publish("one.py", findings=True)
    assert await replica.paths() == ("one.py",)

    await replica.snapshots.look()
    async with replica.snapshots.open("shop", "") as snapshot:
        assert snapshot.info.layers == ("core", "findings")
    assert replica.meter.layers == ["completed", "completed"]


async def test_a_look_at_what_is_known_fetches_nothing(world: World) -> None:
    """CURRENT is asked for by its mark; what has not changed is not sent."""
    replica = await world.serving("one.py")
    await replica.settled()
    world.bucket.asked.clear()

    await replica.snapshots.look()

    assert world.bucket.asked == [("look", "repositories/shop/CURRENT")]


async def test_a_pinned_snapshot_is_fetched_where_it_is_not(world: World) -> None:
    """An answer that began at one replica goes on at another, though a newer set is current."""
    first = world.publish("one.py")
    world.publish("two.py")
    replica = world.replica()

    assert await replica.paths() == ("two.py",)
    assert await replica.paths(snapshot_id=first) == ("one.py",)


async def test_what_is_said_to_be_removed_is_asked_for_at_once(world: World) -> None:
    """A repository that the bucket has no more is not served until the next look; one that it has goes on."""
    replica = await world.serving("one.py")

    await replica.snapshots.forget_repository("shop", world.clock.now())
    assert await replica.paths() == ("one.py",)
    world.uploads.remove("shop")
    await replica.snapshots.forget_repository("shop", world.clock.now())
    with pytest.raises(RepositoryNotFound):
        await replica.paths()


async def test_what_is_not_there_is_told_as_in_a_folder(world: World) -> None:
    """No such repository, none yet, no such snapshot, and names that lead elsewhere."""
    replica = world.replica()
    world.publish("one.py")
    world.store.announce("new")
    world.uploads.bring("new")

    with pytest.raises(RepositoryNotFound):
        await replica.paths("nothing")
    with pytest.raises(RepositoryNotFound):
        await replica.paths("../shop")
    with pytest.raises(IndexNotReady):
        await replica.paths("new")
    with pytest.raises(SnapshotNotFound):
        await replica.paths(snapshot_id="0" * 64)


async def test_a_repository_that_was_not_followed_is_looked_at_first(world: World) -> None:
    """Who asks again after a day gets what is current, not what was."""
    replica = await world.serving("one.py")
    world.publish("two.py")
    world.clock.advance(LEASE_SECONDS + 1)
    await replica.snapshots.look()

    assert await replica.paths() == ("two.py",)


async def test_a_commit_is_found_though_its_set_is_not_here(world: World) -> None:
    """Citations name commits; the set that is current is here, the one of the commit is in the bucket."""
    first = world.publish("one.py", commit="aaa")
    world.publish("two.py", commit="bbb")
    replica = world.replica()
    await replica.paths()

    assert await replica.snapshots.at_revision("shop", "aaa") == first
    with pytest.raises(SnapshotNotFound):
        await replica.snapshots.at_revision("shop", "ccc")


async def test_a_rollback_follows(world: World) -> None:
    """The set that was made current again is served; nothing is fetched twice."""
    first = world.publish("one.py")
    world.publish("two.py")
    replica = world.replica()
    await replica.paths()

    assert world.store.rollback("shop", "").snapshot_id == first
    await replica.snapshots.look()
    assert await replica.paths() == ("one.py",)


async def test_a_removed_repository_is_gone_with_the_next_look(world: World) -> None:
    """Nothing of it stays, here or there, but the note of its removal."""
    replica = await world.serving("one.py")
    world.store.delete("shop")
    world.uploads.remove("shop")

    await replica.snapshots.look()
    with pytest.raises(RepositoryNotFound):
        await replica.paths()
    await replica.settled()
    assert not (replica.root / "shop").exists()
    assert [key for key in world.bucket.listed("repositories") if "leases" not in key] == []


async def test_a_restart_goes_on_with_the_cache(world: World) -> None:
    """What was fetched is not fetched again."""
    world.publish("one.py")
    await world.replica().paths()
    again = world.replica()

    assert await again.paths() == ("one.py",)
    assert again.meter.layers == []
