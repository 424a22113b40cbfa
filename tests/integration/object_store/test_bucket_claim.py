"""One indexer for each bucket and prefix: a second one keeps out, and takes over what nobody holds any more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from common.core.errors import DependencyUnavailable
from common.objects.bucket import open_bucket
from indexer.adapters.store.bucket.claim import KEY, LEASE_SECONDS, BucketClaim
from tests.fakes.clock import FakeClock
from tests.fakes.faulty_proxy import Fault, FaultyProxy, Says
from tests.fakes.object_store import s3_server
from tests.integration.object_store.test_bucket_ill_network import NAME, told
from tests.integration.object_store.world import World

BEAT_SECONDS = 30.0
ATTEMPTS = 5
"""Of the client for one request."""


@pytest.fixture
def other(world: World) -> Iterator[World]:
    """Another indexer with a data folder of its own, by mistake with the same bucket."""
    made = World(world.folder / "other", world.bucket, world.clock)
    yield made
    made.close()


async def test_a_second_indexer_publishes_nothing_and_is_told_of_the_first(world: World, other: World) -> None:
    """Each would take the other's sets for left behind; readers notice nothing, and what is owed stays noted."""
    world.publish("one.py")
    before = world.bucket.listed()
    with pytest.raises(DependencyUnavailable, match=r"written by another indexer, on host \S+, heard of at 2026-01-01"):
        other.publish("two.py")
    with pytest.raises(DependencyUnavailable, match="written by another indexer"):
        other.uploads.remove("shop")

    assert world.bucket.listed() == before
    assert await world.replica().paths() == ("one.py",)
    assert other.uploads.owed() == ("shop",)
    world.publish("three.py")


def test_one_that_lives_keeps_its_claim(world: World, other: World) -> None:
    """Though it publishes nothing for long."""
    world.publish("one.py")
    for _ in range(10):
        world.clock.advance(BEAT_SECONDS)
        world.uploads.claim.beat()
        with pytest.raises(DependencyUnavailable, match="another indexer"):
            other.uploads.claim.hold()


def test_a_claim_that_nobody_renews_is_taken_over(world: World, other: World) -> None:
    """By one whose volume is new, say; not before its time is over by the clock of him who waits, and for good."""
    world.publish("one.py")
    for seconds in (0.0, LEASE_SECONDS - 1):
        world.clock.advance(seconds)
        with pytest.raises(DependencyUnavailable, match="another indexer"):
            other.publish("two.py")
    world.clock.advance(1)
    other.uploads.bring("shop")

    assert other.current() != ""
    with pytest.raises(DependencyUnavailable, match="another indexer"):
        world.publish("three.py")
    world.uploads.claim.beat()
    other.publish("four.py")


def test_dates_decide_nothing(world: World, other: World) -> None:
    """The clock of another machine may be a day off."""
    world.publish("one.py")
    other.clock.jump(86_400)
    with pytest.raises(DependencyUnavailable, match="another indexer"):
        other.publish("two.py")


def test_who_was_killed_comes_back_at_once(world: World) -> None:
    """A claim belongs to a data folder, not to a process."""
    world.publish("one.py")
    again = World(world.folder, world.bucket, world.clock)
    again.publish("two.py")

    assert again.current() == world.current()
    again.close()


def test_of_two_who_begin_at_once_one_has_it(world: World, other: World) -> None:
    """Both have seen that nobody has."""

    def overtake(name: str, key: str) -> None:
        if name == "write_over":
            world.bucket.before = lambda name, key: None
            other.publish("two.py")

    world.bucket.before = overtake
    with pytest.raises(DependencyUnavailable, match="another indexer"):
        world.publish("one.py")
    assert world.current() == other.current() != ""


def test_who_lost_it_while_layers_were_brought_moves_no_pointer(world: World, other: World) -> None:
    """He may have been asleep for minutes."""
    old = world.publish("one.py")
    mine = json.loads(world.bucket.read(KEY) or b"")

    def lose(step: str) -> None:
        if step == "before_current_object":
            world.bucket.write(KEY, json.dumps({**mine, "indexer": "another"}).encode())

    world.reached = lose
    with pytest.raises(DependencyUnavailable, match="another indexer"):
        world.publish("two.py")
    assert world.current() == old
    assert other.current() == old


@pytest.fixture
def copied(world: World) -> Iterator[World]:
    """The same indexer once more, with a copy of its data folder that was made while it ran."""
    world.publish("one.py")
    shutil.copytree(world.folder, world.folder / "copied")
    made = World(world.folder / "copied", world.bucket, world.clock)
    yield made
    made.close()


def test_a_copy_of_a_data_folder_is_another_indexer(world: World, copied: World) -> None:
    """Of both only one writes, here the one that went on; the other is told why, and has the bucket when that ends."""
    for _ in range(3):
        world.clock.advance(BEAT_SECONDS)
        world.uploads.claim.beat()
        with pytest.raises(DependencyUnavailable, match="by the indexer of a copy of this data folder, on host"):
            copied.publish("two.py")
        copied.uploads.claim.beat()
        world.publish("three.py")
    world.clock.advance(LEASE_SECONDS)
    copied.uploads.bring("shop")

    with pytest.raises(DependencyUnavailable, match="copy of this data folder"):
        world.publish("four.py")


def test_of_a_folder_and_its_copy_the_one_that_shows_itself_first_goes_on(world: World, copied: World) -> None:
    """As long as nobody has, nobody can tell which is the copy; a folder that was moved goes on at once."""
    copied.publish("two.py")

    with pytest.raises(DependencyUnavailable, match="copy of this data folder"):
        world.publish("three.py")
    world.uploads.claim.beat()
    copied.publish("four.py")


def test_who_dies_while_he_shows_himself_goes_on(world: World) -> None:
    """Whether the bucket had heard of it by then or not."""
    world.publish("one.py")
    for is_away in (True, False):

        def die(name: str, key: str, *, is_away: bool = is_away) -> None:
            if name == "write_over" and is_away:
                raise Stopped

        world.bucket.before = die
        with pytest.raises(Stopped) if is_away else nullcontext():
            world.uploads.claim.beat()
        world.bucket.before = lambda name, key: None
        again = World(world.folder, world.bucket, world.clock)
        again.publish("two.py")
        again.close()


def test_a_claim_of_the_release_before_is_known_by_its_name(world: World) -> None:
    """It has no proof in it; and the release before finds in this one's what it looks for."""
    world.publish("one.py")
    said = json.loads(world.bucket.read(KEY) or b"")
    del said["proof"]
    world.bucket.write(KEY, json.dumps(said).encode())
    again = World(world.folder, world.bucket, world.clock)
    again.publish("two.py")
    now = json.loads(world.bucket.read(KEY) or b"")

    assert now["indexer"] == said["indexer"]
    assert now["proof"]
    again.close()


@pytest.mark.parametrize("said", [b"", b"nonsense", b"[]"])
def test_a_claim_that_cannot_be_read_is_another_one_until_its_time_is_over(world: World, said: bytes) -> None:
    """Nobody takes a bucket from somebody whom he does not understand."""
    world.bucket.write(KEY, said)
    with pytest.raises(DependencyUnavailable, match="on host unknown, heard of at an unknown time"):
        world.publish("one.py")
    world.clock.advance(LEASE_SECONDS)
    world.uploads.bring("shop")
    assert world.current() != ""


class Stopped(BaseException):
    """The end of a loop."""


async def test_it_is_renewed_as_long_as_the_service_runs(world: World) -> None:
    """A bucket that is away for a while is no reason to stop."""
    world.publish("one.py")
    seen: list[bytes | None] = []

    async def sleep(seconds: float) -> None:
        world.bucket.away = False
        seen.append(world.bucket.read(KEY))
        world.bucket.away = len(seen) == 2
        world.clock.advance(seconds)
        if len(seen) == 4:
            raise Stopped

    with pytest.raises(Stopped):
        await world.uploads.claim.keep(sleep)
    assert seen[1] == seen[2]
    assert len({*seen}) == 3


async def test_it_is_renewed_after_an_error_that_nobody_thought_of(tmp_path: Path, world: World) -> None:
    """A loop that ended would give the bucket away without a word."""
    file, rounds = tmp_path / "name", []
    claim = BucketClaim(world.bucket, file, world.clock)
    claim.hold()
    name = file.read_bytes()

    async def sleep(_seconds: float) -> None:
        rounds.append(world.bucket.read(KEY))
        file.unlink() if file.is_file() else file.rmdir()
        if len(rounds) == 1:
            file.mkdir()
        else:
            file.write_bytes(name)
        if len(rounds) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        await claim.keep(sleep)
    assert rounds[0] == rounds[1] != rounds[2]


@pytest.mark.parametrize("left", [b"", b"0123", b"\xff" * 32])
def test_what_a_loss_of_power_left_of_a_name_is_none(tmp_path: Path, world: World, left: bytes) -> None:
    """Two folders that have lost theirs are two indexers."""
    claims = []
    for each in ("one", "two"):
        (tmp_path / each).write_bytes(left)
        claims.append(BucketClaim(world.bucket, tmp_path / each, world.clock))
    claims[0].hold()
    claims[0].hold()
    with pytest.raises(DependencyUnavailable, match="another indexer"):
        claims[1].hold()


@pytest.mark.parametrize("fault", [Says(501, b"<Error><Code>NotImplemented</Code></Error>"), Fault.LOST_ANSWER])
def test_a_server_that_knows_no_conditions_or_loses_answers_keeps_nobody_out(
    tmp_path: Path, fault: Fault | Says
) -> None:
    """There the claim is as good as reading before writing."""
    failing: list[Fault | Says] = []

    def fail(method: str, path: str) -> Fault | Says | None:
        return failing.pop() if method == "PUT" and failing else None

    with s3_server(NAME) as server, FaultyProxy(server) as proxy:
        proxy.fault = fail
        bucket = open_bucket(told(proxy, tmp_path.name))
        mine = BucketClaim(bucket, tmp_path / "one", FakeClock())
        for step in (mine.hold, mine.beat):
            failing.extend([fault] * (ATTEMPTS if isinstance(fault, Says) else 1))
            step()
            assert failing == []
        mine.hold()
        with pytest.raises(DependencyUnavailable, match="another indexer"):
            BucketClaim(bucket, tmp_path / "two", FakeClock()).hold()
        bucket.close()
