"""Bringing snapshots into a bucket: in which order, and what is there after a crash at any step."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from common.core.errors import AppError, DependencyUnavailable
from indexer.adapters.store.snapshots import FolderSnapshotStore
from indexer.domain.errors import LayerDamaged, RepositoryNotFound
from indexer.usecases.bring_snapshots import BringSnapshots
from tests.integration.object_store.world import World

STEPS = (
    "before_replace_current",
    "after_replace_current",
    "after_file_object",
    "after_manifest_object",
    "before_set_object",
    "before_current_object",
    "after_current_object",
    "before_collect_objects",
)


class Crash(BaseException):
    """The end of a process, which nobody catches."""


class Outbox:
    """Brings what is owed, and remembers what operators are told."""

    def __init__(self, world: World) -> None:
        self.left: list[tuple[str, str]] = []
        self.shown: list[int] = []
        self.slept: list[float] = []
        self.bytes: list[int] = []
        self.bring = BringSnapshots(world.uploads, world.store, self, self._leave, self._sleep)

    def waiting(self, repositories: int) -> None:
        """Remember how many wait."""
        self.shown.append(repositories)

    def uploaded(self, number: int) -> None:
        """Remember how much came to the bucket."""
        self.bytes.append(number)

    def _leave(self, repository: str, error: Exception) -> None:
        self.left.append((repository, error.reason if isinstance(error, AppError) else type(error).__name__))

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if len(self.slept) == 6:
            raise Crash


def crash_at(world: World, step: str) -> None:
    """Let the process end at a step."""

    def reached(now: str) -> None:
        if now == step:
            raise Crash

    world.reached = reached


def test_the_pointer_comes_last_and_the_manifest_behind_its_files(world: World) -> None:
    """At no moment is there a manifest without its files, a set without its layers, or a pointer to no set."""
    world.publish("one.py", findings=True)
    written = [key.split("/", 2)[2] for name, key in world.bucket.asked if name in ("upload", "write")]

    assert [name.rpartition("/")[2] for name in written[:4]] == [
        "code.db", "manifest.json", "findings.jsonl", "manifest.json",
    ]  # fmt: skip
    assert written[4].startswith("sets/")
    assert written[5:] == ["CURRENT"]


def test_removal_goes_the_other_way(world: World) -> None:
    """Pointer, sets, manifests, files."""
    world.publish("one.py")
    world.store.delete("shop")
    world.bucket.asked.clear()
    world.uploads.remove("shop")
    removed = [key.split("/", 2)[2] for name, key in world.bucket.asked if name == "remove"]
    first = list(dict.fromkeys(removed))

    assert first[:2] == ["CURRENT", "ANNOUNCED"]
    assert first[2].startswith("sets/")
    assert [name.rpartition("/")[2] for name in first[3:]] == ["manifest.json", "code.db"]
    assert world.bucket.listed("repositories") == []


@pytest.mark.parametrize("step", STEPS)
async def test_death_at_any_step_leaves_old_or_new_whole(world: World, step: str) -> None:
    """A retriever that begins then serves one of both; the next start brings the new one and leaves nothing behind."""
    old = world.publish("one.py")
    crash_at(world, step)
    with pytest.raises(Crash):
        world.publish("two.py", findings=True)
    served = await world.replica("during").paths()
    world.reached = lambda _: None
    again = World(world.folder, world.bucket, world.clock)
    with pytest.raises(Crash):
        await Outbox(again).bring.run()
    new = again.store.current("shop")

    assert served == (("two.py",) if step in ("after_current_object", "before_collect_objects") else ("one.py",))
    assert new is not None
    assert (new.snapshot_id == old) == (step == "before_replace_current")
    assert world.current() == new.snapshot_id
    assert await again.replica("after").paths() == (("one.py",) if new.snapshot_id == old else ("two.py",))
    named = {layer.folder for each in again.store.sets("shop") for layer in each.layers}
    assert {key.split("/")[3] for key in world.bucket.listed("repositories/shop/layers")} <= named
    assert again.uploads.owed() == ()
    again.close()


async def test_a_worker_that_dies_leaves_word_to_the_service(world: World) -> None:
    """Between the folder's pointer and the first object there is no other trace of what is to be brought."""
    world.publish("one.py")
    crash_at(world, "after_replace_current")
    with pytest.raises(Crash):
        world.publish("two.py")
    world.reached = lambda _: None
    outbox = Outbox(world)

    assert world.uploads.owed() == ("shop",)
    assert await outbox.bring.look() is None
    assert await world.replica().paths() == ("two.py",)


async def test_the_same_after_a_crash_as_without(world: World) -> None:
    """What is there in the end does not tell of crashes on the way."""
    crash_at(world, "after_file_object")
    with pytest.raises(Crash):
        world.publish("one.py", findings=True)
    world.reached = lambda _: None
    world.publish("one.py", findings=True)
    smooth = World(world.folder / "smooth")
    smooth.publish("one.py", findings=True)

    assert world.bucket.listed() == smooth.bucket.listed()
    smooth.close()


async def test_publication_without_a_bucket_says_so_and_follows_by_itself(world: World) -> None:
    """The job fails with the setting's name, readers keep the old set, and the service brings the new one later."""
    old = world.publish("one.py")
    replica = world.replica()
    await replica.paths()
    world.bucket.away = True
    with pytest.raises(DependencyUnavailable, match=r"object_store_url.*follows by itself"):
        world.publish("two.py")
    outbox = Outbox(world)
    await outbox.bring.look()

    assert world.current() == old
    assert outbox.shown == [1]
    world.bucket.away = False
    await outbox.bring.look()
    assert outbox.shown == [1, 0]
    await replica.snapshots.look()
    assert await replica.paths() == ("two.py",)


async def test_a_bucket_that_stays_away_is_told_once_and_asked_ever_less(world: World) -> None:
    """Operators see one line and a number, not one for each attempt."""
    world.publish("one.py")
    world.bucket.away = True
    outbox = Outbox(world)
    with pytest.raises(Crash):
        await outbox.bring.run()

    assert outbox.left == [("shop", "ERROR_REASON_DEPENDENCY_UNAVAILABLE")]
    assert outbox.slept == [4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert set(outbox.shown) == {1}


async def test_bytes_are_counted_by_the_service_whoever_brought_them(world: World) -> None:
    """A job's process shows no metrics; what is there already is not brought, nor counted."""
    world.publish("one.py")
    layers = world.bucket.sizes("repositories/shop/layers")
    brought = sum(size for key, size in layers.items() if not key.endswith("manifest.json"))
    outbox = Outbox(world)
    await outbox.bring.look()
    world.uploads.bring("shop")
    await outbox.bring.look()

    assert outbox.bytes == [brought, 0]


def test_what_somebody_took_out_of_the_bucket_comes_back(world: World) -> None:
    """A job that finds its source unchanged looks at what readers have all the same."""
    world.publish("one.py")
    current = world.store.current("shop")
    assert current is not None
    before = world.bucket.listed()
    for key in before:
        if key.endswith(("code.db", "CURRENT")):
            world.bucket.remove([key])
    world.store.ensure_served(current)

    assert world.bucket.listed() == before


def test_a_rollback_without_a_bucket_follows_too(world: World) -> None:
    """The indexer's own pointer has moved, and that of the bucket does when it can."""
    old = world.publish("one.py")
    world.publish("two.py")
    world.bucket.away = True
    with pytest.raises(DependencyUnavailable, match="follows by itself"):
        world.store.rollback("shop", "")
    world.bucket.away = False

    assert world.uploads.owed() == ("shop",)
    world.uploads.bring("shop")
    assert world.current() == old


def test_removal_without_a_bucket_is_to_be_called_again(world: World) -> None:
    """It raises, and what the loop of the service does meanwhile brings nothing back."""
    world.publish("one.py")
    world.store.delete("shop")
    world.bucket.away = True
    with pytest.raises(DependencyUnavailable):
        world.uploads.remove("shop")
    world.bucket.away = False
    for repository in world.uploads.owed():
        world.uploads.bring(repository)

    assert world.current() != ""
    world.uploads.remove("shop")
    assert world.bucket.listed("repositories") == []


def test_sets_go_when_they_are_neither_kept_nor_leased(world: World) -> None:
    """A leased one stays with its layers until the lease is over; its record goes with it."""
    first, second, third = (world.publish(name) for name in ("one.py", "two.py", "three.py"))
    expires = (world.clock.now() + timedelta(seconds=60)).isoformat().replace("+00:00", "Z")
    lease = json.dumps({"snapshot_id": second, "expires": expires}).encode()
    world.bucket.write("repositories/shop/leases/r-1.json", lease)
    world.bucket.write("repositories/shop/leases/broken.json", b"{")
    fourth = world.publish("four.py")
    fifth = world.publish("five.py")

    def sets() -> set[str]:
        return {key.rpartition("/")[2].removesuffix(".json") for key in world.bucket.listed("repositories/shop/sets")}

    assert first not in sets()
    assert third not in sets()
    assert sets() == {second, fourth, fifth}
    assert len(world.bucket.listed("repositories/shop/layers")) == 6
    world.clock.advance(61)
    sixth = world.publish("six.py")
    assert sets() == {fifth, sixth}
    assert world.bucket.listed("repositories/shop/leases") == []


def test_a_layer_that_is_collected_on_its_way_gives_way_to_the_next_set(world: World) -> None:
    """Two publications and a slow upload: what is brought in the end is what is current."""
    world.publish("one.py")
    world.bucket.away = True
    with pytest.raises(DependencyUnavailable):
        world.publish("two.py")
    world.bucket.away = False
    overtaken: list[str] = []

    def overtake(name: str, key: str) -> None:
        if name == "upload" and not overtaken:
            overtaken.append(key)
            plain = FolderSnapshotStore(world.data / "repositories", world.clock, lambda _: None)
            home = world.data / "repositories/shop/layers" / key.split("/")[3]
            for file in home.iterdir():
                file.unlink()
            assert plain.rollback("shop", "").snapshot_id

    world.bucket.before = overtake
    world.uploads.bring("shop")

    current = world.store.current("shop")
    assert current is not None
    assert world.current() == current.snapshot_id
    assert overtaken


def test_a_layer_that_is_not_whole_here_is_not_brought(world: World) -> None:
    """The indexer finds that out by itself, and readers keep the set before."""
    old = world.publish("one.py")
    world.bucket.away = True
    with pytest.raises(DependencyUnavailable):
        world.publish("two.py")
    world.bucket.away = False
    current = world.store.current("shop")
    assert current is not None
    (world.store.layer_folder("shop", current.layers[0]) / "code.db").unlink()

    with pytest.raises(LayerDamaged, match="index it again"):
        world.uploads.bring("shop")
    assert world.current() == old


def test_two_processes_never_bring_the_same_repository_at_once(world: World) -> None:
    """While one does, the other does not count it as waiting."""
    seen = []
    world.reached = lambda step: seen.append(world.uploads.owed()) if step == "after_file_object" else None
    world.publish("one.py")

    assert seen == [()]


def test_repositories_whose_names_begin_alike_are_apart(world: World) -> None:
    """Removing one leaves the other alone, whatever the listing by prefix would say."""
    world.publish("one.py", repository="shop")
    world.publish("two.py", repository="shop2")
    world.publish("two.py", repository="shop.git")
    world.store.delete("shop")
    world.uploads.remove("shop")

    assert not world.bucket.listed("repositories/shop")
    assert world.current("shop2")
    assert world.current("shop.git")


async def test_a_disk_that_fails_does_not_end_the_loop(world: World) -> None:
    """It is told once, and what is owed is brought when the disk is back."""
    world.publish("one.py")
    outbox = Outbox(world)
    home = world.data / "indexer" / "uploads"
    home.rename(world.data / "aside")
    home.write_text("no folder")
    with pytest.raises(Crash):
        await outbox.bring.run()

    assert outbox.left == [("", "NotADirectoryError")]
    assert len(outbox.slept) == 6


def test_a_manifest_that_cannot_be_read_here_is_damage(world: World) -> None:
    """And no reason for a process to end."""
    world.bucket.away = True
    with pytest.raises(DependencyUnavailable):
        world.publish("one.py")
    world.bucket.away = False
    current = world.store.current("shop")
    assert current is not None
    (world.store.layer_folder("shop", current.layers[0]) / "manifest.json").write_text("[]")

    with pytest.raises(LayerDamaged):
        world.uploads.bring("shop")
    assert world.current() == ""


def test_what_only_the_bucket_has_can_be_removed(world: World) -> None:
    """An indexer whose volume was lost must be able to withdraw what it published before."""
    world.publish("one.py")
    lost = World(world.folder / "new", world.bucket, world.clock)
    lost.take_over()

    assert lost.store.delete("shop") == 0
    lost.uploads.remove("shop")
    assert world.bucket.listed("repositories") == []
    with pytest.raises(RepositoryNotFound):
        lost.store.delete("shop")
    lost.close()


def test_an_indexer_with_a_new_volume_replaces_what_was_there(world: World) -> None:
    """Sets of before go when they are not leased."""
    old = world.publish("one.py")
    new = World(world.folder / "new", world.bucket, world.clock)
    new.take_over()
    snapshot_id = new.publish("two.py")

    assert world.current() == snapshot_id
    assert not [key for key in world.bucket.listed() if old in key]
    assert len(world.bucket.listed("repositories/shop/layers")) == 2
    new.close()
