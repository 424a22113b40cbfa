"""What a retriever does when the bucket is away, and when what it holds, there or here, is damaged."""

from __future__ import annotations

import os

import pytest

from common.core.errors import DependencyUnavailable
from common.objects.bucket import ObjectStoreUnavailable
from retriever.adapters.bucket.layer_download import LayerDownload
from retriever.adapters.snapshots.folder import LayerDamaged
from retriever.domain.errors import SnapshotDamaged, SnapshotNotFound
from tests.fakes.object_store import SwitchedBucket
from tests.integration.object_store.world import World

MEND_SECONDS = 61.0


def objects(world: World, kind: str, name: str) -> list[str]:
    """Return the keys of one kind of file."""
    return [key for key in world.bucket.listed() if f"/layers/{kind}-" in key and key.endswith(name)]


async def test_what_is_in_the_cache_goes_on_serving_without_a_bucket(world: World) -> None:
    """The caller is told, operators see it, and what was published meanwhile is taken up when the bucket is back."""
    replica = await world.serving("one.py")
    world.publish("two.py")
    world.bucket.away = True
    await replica.snapshots.look()

    assert await replica.paths() == ("one.py",)
    assert await replica.notes() == (
        "object storage: looking for a newer snapshot failed, the one in the cache was read",
    )
    assert replica.meter.away == 1
    world.bucket.away = False
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)
    assert await replica.notes() == ()


async def test_a_start_without_a_bucket_serves_what_the_cache_has(world: World) -> None:
    """And what it has not is a clear error that names the setting; nothing is remembered of it."""
    snapshot_id = world.publish("one.py")
    await world.replica().paths()
    world.bucket.away = True
    replica = world.replica()

    assert await replica.paths() == ("one.py",)
    assert await replica.paths(snapshot_id=snapshot_id) == ("one.py",)
    with pytest.raises(DependencyUnavailable, match="object_store_url"):
        await replica.paths("other")
    with pytest.raises(DependencyUnavailable, match="object_store_url"):
        await replica.paths(snapshot_id="0" * 64)
    await replica.settled()
    world.bucket.asked.clear()
    await replica.snapshots.look()
    assert [key for _, key in world.bucket.asked] == ["repositories/shop/CURRENT"]


async def test_one_that_does_not_answer_is_not_asked_for_everything(world: World) -> None:
    """Many repositories would each wait for it."""
    replica = world.replica()
    for name in ("a", "b", "c"):
        world.publish("one.py", repository=name)
        await replica.paths(name)
    await replica.settled()
    world.bucket.away = True
    await replica.snapshots.look()
    world.bucket.asked.clear()
    await replica.snapshots.look()

    assert [key for _, key in world.bucket.asked] == ["repositories/a/CURRENT"]
    assert all([await replica.notes(name) for name in ("a", "b", "c")])
    world.bucket.away = False
    await replica.snapshots.look()
    world.bucket.asked.clear()
    await replica.snapshots.look()
    assert len(world.bucket.asked) == 3


async def test_a_bucket_that_answers_with_damage_is_not_away(world: World) -> None:
    """What stands first in the row would else be the only one that is asked for."""
    replica = world.replica()
    for name in ("a", "b"):
        world.publish("one.py", repository=name)
        await replica.paths(name)
    world.bucket.away = True
    await replica.snapshots.look()
    world.bucket.away = False
    world.bucket.write("repositories/a/CURRENT", b"nonsense")
    world.publish("two.py", repository="b")
    await replica.snapshots.look()
    await replica.snapshots.look()

    assert await replica.paths("a") == ("one.py",)
    assert await replica.paths("b") == ("two.py",)


async def test_a_connection_that_breaks_midway_leaves_the_old_set_and_no_rest(world: World) -> None:
    """What came of a layer is not taken for the layer; the next look goes on."""
    replica = await world.serving("one.py")
    world.publish("two.py", findings=True)

    def breaks(name: str, key: str) -> None:
        if name == "parts" and key.endswith("findings.jsonl"):
            world.bucket.away = True

    world.bucket.before = breaks
    await replica.snapshots.look()

    assert await replica.paths() == ("one.py",)
    assert replica.meter.layers == ["completed", "completed", "failed"]
    assert list((replica.root / ".staging").iterdir()) == []
    world.bucket.before = lambda name, key: None
    world.bucket.away = False
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)
    assert replica.meter.layers[3:] == ["completed"]


async def test_a_damaged_core_is_never_served(world: World) -> None:
    """The one before serves with a note; when the object is mended, it is taken up."""
    world.publish("one.py")
    kept = set(objects(world, "core", "code.db"))
    bad = world.publish("two.py")
    (key,) = set(objects(world, "core", "code.db")) - kept
    replica = world.replica()
    whole = world.bucket.read(key) or b""
    world.bucket.flip(key)

    assert await replica.paths() == ("one.py",)
    assert await replica.notes() == (f"snapshot {bad[:12]}: damaged, an earlier one was read",)
    with pytest.raises(SnapshotDamaged):
        await replica.paths(snapshot_id=bad)
    assert replica.meter.layers.count("damaged") >= 1
    assert "damaged" in replica.failures

    world.bucket.write(key, whole)
    world.clock.advance(MEND_SECONDS)
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)


@pytest.mark.parametrize("size", [0, 1, 4096])
async def test_an_object_that_is_cut_is_damage(world: World, size: int) -> None:
    """The set before serves."""
    world.publish("one.py")
    kept = set(objects(world, "core", "code.db"))
    world.publish("two.py")
    (key,) = set(objects(world, "core", "code.db")) - kept
    world.bucket.write(key, (world.bucket.read(key) or b"")[:size])
    replica = world.replica()

    assert await replica.paths() == ("one.py",)
    assert replica.meter.away == 0
    assert "damaged" in replica.meter.layers


async def test_a_damaged_core_without_another_is_an_error(world: World) -> None:
    """There is nothing to fall back to."""
    world.publish("one.py")
    world.bucket.flip(objects(world, "core", "code.db")[0])

    with pytest.raises(SnapshotDamaged):
        await world.replica().paths()


async def test_a_set_that_cannot_be_read_is_not_one_to_fall_back_to(world: World) -> None:
    """What is told is the damage, not that there is no such set."""
    world.publish("one.py")
    world.bucket.flip(objects(world, "core", "code.db")[0])
    world.bucket.write(f"repositories/shop/sets/{'0' * 64}.json", b"{")

    with pytest.raises(SnapshotDamaged):
        await world.replica().paths()


async def test_a_damaged_later_layer_is_left_out(world: World) -> None:
    """Core serves, as it would out of a folder."""
    world.publish("one.py", findings=True)
    (key,) = objects(world, "findings", "manifest.json")
    world.bucket.flip(key)
    replica = world.replica()

    async with replica.snapshots.open("shop", "") as snapshot:
        assert snapshot.info.layers == ("core",)
        assert snapshot.findings is None


async def test_damage_on_the_way_is_fetched_once_more(world: World) -> None:
    """A transfer that changed a byte once is not the object's fault."""
    world.publish("one.py")
    (key,) = objects(world, "core", "code.db")
    asked = []

    def meddle(name: str, at: str) -> None:
        if name == "parts" and at == key:
            asked.append(at)
            if len(asked) < 3:
                world.bucket.flip(key)

    world.bucket.before = meddle
    replica = world.replica()

    assert await replica.paths() == ("one.py",)
    assert replica.meter.layers == ["completed"]
    assert len(asked) == 2


async def test_damage_in_the_cache_is_mended_from_the_bucket(world: World) -> None:
    """A byte that the disk lost is found at open, and the layer is fetched again."""
    world.publish("one.py")
    await world.replica().paths()
    (file,) = (world.folder / "replica").glob("shop/layers/core-*/code.db")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    replica = world.replica()

    assert await replica.paths() == ("one.py",)
    assert await replica.notes() == ()
    assert replica.meter.layers == ["completed"]


async def test_damage_in_the_cache_without_a_bucket_is_an_error(world: World) -> None:
    """Nothing that is wrong is served, and the bucket mends it when it is back."""
    world.publish("one.py")
    await world.replica().paths()
    (file,) = (world.folder / "replica").glob("shop/layers/core-*/code.db")
    os.truncate(file, 4096)
    world.bucket.away = True
    replica = world.replica()

    with pytest.raises(SnapshotDamaged):
        await replica.paths()
    world.bucket.away = False
    world.clock.advance(MEND_SECONDS)
    await replica.snapshots.look()
    assert await replica.paths() == ("one.py",)


async def test_a_layer_that_was_given_up_comes_with_the_next_look(world: World) -> None:
    """Of a process that knows CURRENT already, which has not changed since."""
    snapshot_id = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    assert replica.served.drop("shop", snapshot_id)
    (file,) = replica.root.glob("shop/layers/core-*/code.db")
    os.truncate(file, 4096)
    world.bucket.away = True
    for _ in range(3):
        with pytest.raises(SnapshotDamaged):
            await replica.paths()
    await replica.snapshots.look()
    world.bucket.away = False
    await replica.snapshots.look()

    assert await replica.paths() == ("one.py",)


async def test_a_retry_that_fails_is_no_last_one(world: World) -> None:
    """The object was mended while the bucket was away for a moment."""
    world.publish("one.py")
    world.publish("two.py", findings=True)
    (key,) = objects(world, "findings", "manifest.json")
    whole = world.bucket.read(key) or b""
    world.bucket.flip(key)
    replica = world.replica()
    await replica.paths()
    world.bucket.write(key, whole)
    world.clock.advance(MEND_SECONDS)
    fails = [True]

    def breaks(name: str, at: str) -> None:
        if at == key and fails:
            fails.clear()
            raise ObjectStoreUnavailable.of("s3://x", "does not answer")

    world.bucket.before = breaks
    await replica.snapshots.look()
    assert fails == []
    await replica.snapshots.look()
    assert list(replica.root.glob("shop/layers/findings-*/findings.jsonl"))


async def test_a_first_question_begins_again_where_its_set_was_collected(world: World) -> None:
    """Its caller named none, and is not told of one."""
    world.publish("one.py")
    replica = world.replica()
    seen: list[str] = []

    def overtake(name: str, key: str) -> None:
        if name == "parts" and not seen:
            seen.append(key)
            for path in ("two.py", "three.py", "four.py"):
                world.publish(path)

    world.bucket.before = overtake
    assert await replica.paths() == ("four.py",)
    assert seen


async def test_a_set_that_is_collected_while_it_is_fetched_is_not_found(world: World) -> None:
    """Who follows CURRENT gets the next one with the next look."""
    first = world.publish("one.py")
    replica = world.replica()

    def collect(name: str, key: str) -> None:
        if name == "parts":
            world.bucket.before = lambda name, key: None
            world.bucket.remove([each for each in world.bucket.listed() if "/layers/" in each])

    world.bucket.before = collect
    with pytest.raises(SnapshotNotFound):
        await replica.paths(snapshot_id=first)
    world.publish("two.py")
    assert await replica.paths() == ("two.py",)


@pytest.mark.parametrize("name", ["../../CURRENT", "/etc/passwd", "..", "manifest.json", ""])
def test_a_manifest_that_names_files_elsewhere_is_refused(world: World, name: str) -> None:
    """Whoever can write the bucket cannot write the retriever's disk."""
    bucket = SwitchedBucket()
    manifest = f'{{"files": {{"{name}": {{"bytes": 1, "sha256": "0"}}}}}}'
    bucket.write("layer/manifest.json", manifest.encode())
    download = LayerDownload(bucket, world.folder / "staging", lambda: None, lambda _: None)

    with pytest.raises(LayerDamaged):
        download.run("layer", world.folder / "repositories/shop/layers/core-0")
    assert not (world.folder / "repositories").exists()
