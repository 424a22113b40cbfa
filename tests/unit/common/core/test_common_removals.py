"""What a service keeps of a repository goes when the repository does, whoever was away meanwhile."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

from common.core.errors import DependencyUnavailable
from common.core.removals import Removal
from common.rpc.removals import FollowRemovals
from tests.fakes.clock import FakeClock

AT = datetime(2025, 12, 31, tzinfo=UTC)
GONE, BACK = Removal("gone", AT, indexed_again=False), Removal("back", AT, indexed_again=True)
LATE = 901.0


@dataclass
class Told:
    """Tells removals, and keeps what it is told to forget."""

    removals: list[Removal]
    forgotten: list[tuple[str, datetime]] = field(default_factory=list)
    failing: list[Exception] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def all(self) -> list[Removal]:
        """Tell them."""
        return self.removals

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Remember what was to be forgotten."""
        if self.failing:
            raise self.failing.pop()
        self.forgotten.append((repository, before))
        self.done.set()


def follow(told: Told, clock: FakeClock) -> FollowRemovals:
    """Follow what is told."""
    return FollowRemovals(told.all, (told,), clock)


async def test_what_was_kept_until_now_or_until_the_removal_goes() -> None:
    """Of a name that is not there everything; of one that is there again what was kept before the removal."""
    told, clock = Told([BACK, GONE]), FakeClock()
    await follow(told, clock).look()

    assert told.forgotten == [("back", AT), ("gone", clock.now())]


async def test_each_removal_is_followed_twice() -> None:
    """The second time a quarter of an hour later, for what ran meanwhile; a further removal of the name is another."""
    told, clock = Told([GONE]), FakeClock()
    following = follow(told, clock)
    for seconds in (0, 30, LATE, 30, LATE):
        clock.advance(seconds)
        await following.look()
    twice = [name for name, _ in told.forgotten]
    told.removals = [Removal("gone", clock.now(), indexed_again=False)]
    await following.look()

    assert twice == ["gone", "gone"]
    assert len(told.forgotten) == 3


async def test_a_keeper_that_fails_is_told_again() -> None:
    """A store that does not answer hears of it at the next look, and the looks go on."""
    told = Told([GONE], failing=[OSError(), DependencyUnavailable("away")])
    task = asyncio.create_task(follow(told, FakeClock()).run(0.001))
    await told.done.wait()
    task.cancel()
    await asyncio.wait([task])

    assert [name for name, _ in told.forgotten] == ["gone"]
