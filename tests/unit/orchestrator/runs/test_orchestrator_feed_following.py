"""A feed over a log that another process writes: followed, and gone back to when that one has taken the answer over."""

from __future__ import annotations

import asyncio

import pytest

from common.core.errors import DependencyUnavailable
from orchestrator.domain.answers.events import Event, NumberedEvent, PassFinished, PassStarted, TextDelta
from orchestrator.domain.answers.phases import Phase
from orchestrator.usecases.feed import AnswerFeed
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog
from tests.unit.orchestrator.runs.test_orchestrator_feed_losses import BlockedLog, begun, reading, told

_CLOCK = FakeClock()


async def written(log: MemoryLog, first: int, *events: Event) -> None:
    """Put events into the log as the process does that makes the answer."""
    await log.append("a", [NumberedEvent(number, _CLOCK.now(), each) for number, each in enumerate(events, first)])


async def test_what_another_writes_is_told_as_it_comes() -> None:
    """Each look brings what is new, and wakes those who wait for it."""
    log = MemoryLog()
    await begun(log)
    follower = AnswerFeed("a", log, _CLOCK)
    await follower.restore()
    reader = reading(follower, 4)
    waiting = asyncio.create_task(told(reader, 2))
    await asyncio.sleep(0)
    await written(log, 5, TextDelta(1, "one "), TextDelta(1, "two "))
    await follower.restore()

    assert await waiting == [(5, TextDelta), (6, TextDelta)]
    assert follower.state.text == "one two "
    assert follower.logged == 6


async def test_a_reader_who_has_seen_more_than_is_kept_misses_nothing_and_sees_nothing_twice() -> None:
    """What it saw at the maker comes to the log later: it counts for the answer, and is not told again."""
    log = MemoryLog()
    await begun(log)
    follower = AnswerFeed("a", log, _CLOCK)
    await follower.restore()
    reader = reading(follower, 6)
    await written(log, 5, TextDelta(1, "one "), TextDelta(1, "two "), TextDelta(1, "three"), PassFinished(1))
    await follower.restore()

    assert await told(reader, 2) == [(7, TextDelta), (8, PassFinished)]
    assert follower.state.text == "one two three"


async def test_what_was_looked_at_is_told_again() -> None:
    """Who looks at the first event before the rest is told misses none, and at the end there is nothing to look at."""
    log = MemoryLog()
    feed = await begun(log)
    reader = reading(feed, 2)
    first = await reader.peek()
    await feed.emit(TextDelta(1, "one"))
    await feed.flush()
    feed.close()

    assert isinstance(first, NumberedEvent)
    assert [event async for event in reader][:1] == [first]
    assert reader.after == 5
    assert await reader.peek() is None


async def test_a_reader_who_waits_is_woken_once_by_many_events() -> None:
    """They may come before it has run again."""
    feed = await begun(MemoryLog())
    waiting = asyncio.create_task(told(reading(feed, 4), 3))
    await asyncio.sleep(0)
    for text in ("one ", "two ", "three"):
        await feed.emit(TextDelta(1, text))

    assert await waiting == [(5, TextDelta), (6, TextDelta), (7, TextDelta)]


async def test_what_was_being_written_is_waited_for_before_going_back() -> None:
    """Its end would say that more of the log is known than was read."""
    log = BlockedLog()
    feed = await begun(log)
    log.released.clear()
    await feed.emit(PassFinished(1))
    await eventually(lambda: log.is_waiting)
    rewinding = asyncio.create_task(feed.rewind())
    await asyncio.sleep(0)
    log.released.set()
    await rewinding
    await eventually(lambda: len(log.events) == 5)

    assert feed.logged == 0


async def test_who_lost_an_answer_goes_back_to_what_is_kept() -> None:
    """What it has shown and could not keep is nothing of the answer; its readers go on with what the other made."""
    log = MemoryLog()
    feed = await begun(log)
    reader = reading(feed, 4)
    log.failure = DependencyUnavailable("held by another")
    await feed.emit(TextDelta(1, "lost"))
    await feed.emit(PassFinished(1))
    seen = await told(reader, 2)
    await feed.rewind()
    log.failure = None
    await written(log, 69, PassStarted(1), TextDelta(1, "made there"))
    await feed.restore()

    assert seen == [(5, TextDelta), (6, PassFinished)]
    assert await told(reader, 2) == [(69, PassStarted), (70, TextDelta)]
    assert feed.state.text == "made there"
    assert feed.state.phase is Phase.ANSWERING
    assert [each.sequence for each in log.events] == [1, 2, 3, 4, 69, 70]


@pytest.mark.parametrize("is_late", [False, True])
async def test_numbers_after_that_are_beyond_all_that_was_shown(is_late: bool) -> None:
    """Should the answer come back to be made here, nothing is replaced under its number, and what was lost stays so."""
    log = MemoryLog()
    feed = await begun(log)
    log.failure = DependencyUnavailable("held by another")
    for _ in range(3):
        await feed.emit(TextDelta(1, "lost"))
    await feed.rewind()
    log.failure = None
    if is_late:
        reading(feed, 20)
    await feed.restore()
    feed.skip_lost()
    await feed.emit(PassStarted(1))

    assert [each.sequence > (20 if is_late else 7) for each in log.events[4:]] == [True]
