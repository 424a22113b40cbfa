"""What a feed may lose when its process dies, what its readers then see, and what they never see too early."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from common.core.errors import DependencyUnavailable
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    Event,
    EvidenceSupplied,
    Heartbeat,
    NumberedEvent,
    PassFinished,
    PassStarted,
    Started,
    TextDelta,
)
from orchestrator.domain.questions.question import Classification
from orchestrator.usecases.feed import AnswerFeed, FeedReader
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER

BEFORE_TEXT: tuple[Event, ...] = (Started("a"), Classified(Classification()), EvidenceSupplied(1), PassStarted(1))


class BlockedLog(MemoryLog):
    """A log that takes no events until it is released; it is at first."""

    def __init__(self) -> None:
        super().__init__()
        self.released = asyncio.Event()
        self.released.set()
        self.is_waiting = False

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """Wait, then keep events, or fail as told."""
        self.is_waiting = not self.released.is_set()
        await self.released.wait()
        await super().append(answer_id, events)


async def begun(log: MemoryLog, *, clock: FakeClock | None = None, text_seconds: float = 0.01) -> AnswerFeed:
    """Return a feed in its first pass, all logged."""
    feed = AnswerFeed("a", log, clock or FakeClock(), text_seconds=text_seconds)
    for event in BEFORE_TEXT:
        await feed.emit(event)
    await feed.flush()
    return feed


async def ended_pass(log: MemoryLog) -> AnswerFeed:
    """Return a feed whose first pass has ended, all logged: five events."""
    feed = await begun(log)
    await feed.emit(PassFinished(1))
    await feed.flush()
    return feed


async def crashed(log: MemoryLog, *, shown: int) -> AnswerFeed:
    """Return the feed of a new process, after one that showed some text which never came to the log."""
    feed = await begun(log, text_seconds=60)
    for number in range(shown):
        await feed.emit(TextDelta(1, f"lost {number} "))
    feed.close()
    again = AnswerFeed("a", log, FakeClock())
    await again.restore()
    return again


def reading(feed: AnswerFeed, after: int) -> FeedReader:
    """Return a reader that waits long."""
    return feed.read(after, heartbeat_seconds=60)


async def told(reader: FeedReader, count: int) -> list[tuple[int, type[Event | Heartbeat]]]:
    """Return the number and kind of what comes next."""
    seen = []
    async with asyncio.timeout(30):
        for _ in range(count):
            each = await anext(reader)
            seen.append((each.sequence, type(each.event) if isinstance(each, NumberedEvent) else Heartbeat))
    return seen


async def test_text_is_logged_in_time_though_nothing_follows() -> None:
    """The model falls silent: what was shown is in the log all the same, and no timer is left."""
    log = MemoryLog()
    feed = await begun(log)
    await feed.emit(TextDelta(1, "one "))
    await feed.emit(TextDelta(1, "two "))
    await eventually(lambda: len(log.events) == 6)

    assert log.batches[-1] == 2
    assert feed._text_wait is None


async def test_a_clock_that_is_set_back_does_not_keep_text_from_the_log() -> None:
    """How long text waits has nothing to do with the date."""
    log, clock = MemoryLog(), FakeClock()
    feed = await begun(log, clock=clock)
    await feed.emit(TextDelta(1, "one "))
    clock.jump(-3600)
    await feed.emit(TextDelta(1, "two "))
    await eventually(lambda: len(log.events) == 6)

    assert [each.sequence for each in log.events] == [1, 2, 3, 4, 5, 6]


async def test_text_that_went_along_with_something_else_waits_no_more() -> None:
    """Whatever writes the text stops its timer: the next text has all of its time."""
    feed = await begun(MemoryLog(), text_seconds=60)
    await feed.emit(TextDelta(1, "text"))
    waiting = feed._text_wait
    await feed.emit(PassFinished(1))
    await eventually(lambda: feed._text_wait is None)

    assert waiting is not None
    assert waiting.cancelled()


@pytest.mark.parametrize("ended_by", ["flush", "close"])
async def test_no_timer_outlives_its_text(ended_by: str) -> None:
    """Flushed or closed, nothing is left that would write later."""
    log = MemoryLog()
    feed = await begun(log, text_seconds=60)
    await feed.emit(TextDelta(1, "text"))
    waiting = feed._text_wait
    if ended_by == "flush":
        await feed.flush()
    else:
        feed.close()

    assert waiting is not None
    assert waiting.cancelled()
    assert feed._text_wait is None


async def test_a_log_that_fails_in_the_silence_is_told_to_the_maker() -> None:
    """The next text raises why, and the flush at the end writes all once the log has recovered."""
    log = MemoryLog()
    feed = await begun(log)
    log.failure = DependencyUnavailable("disk full")
    await feed.emit(TextDelta(1, "one "))
    await eventually(lambda: len(log.batches) == 2)

    with pytest.raises(DependencyUnavailable, match="disk full"):
        await feed.emit(TextDelta(1, "two "))
    log.failure = None
    await feed.flush()

    assert [each.sequence for each in log.events] == [1, 2, 3, 4, 5, 6]


async def test_what_comes_after_a_crash_is_new_to_whoever_saw_more_than_the_log() -> None:
    """The numbers of lost text are not given again: its reader sees the pass begin anew, and every word of it."""
    log = MemoryLog()
    feed = await crashed(log, shown=2)
    reader = reading(feed, after=6)
    await feed.emit(PassStarted(1))
    await feed.emit(TextDelta(1, "text"))

    assert await told(reader, 2) == [(7, PassStarted), (8, TextDelta)]


async def test_other_readers_see_over_the_skipped_numbers() -> None:
    """Who saw no more than the log gets all that is new, from memory as from the log; a later process goes on."""
    log = MemoryLog()
    feed = await crashed(log, shown=2)
    reading(feed, after=6)
    await feed.emit(PassStarted(1))
    await feed.emit(TextDelta(1, "text"))
    seen = [await told(reading(feed, after), 8 - 2 - after) for after in (4, 2)]
    await feed.flush()
    again = AnswerFeed("a", log, FakeClock())
    await again.restore()

    new = [(7, PassStarted), (8, TextDelta)]
    assert seen == [new, [(3, EvidenceSupplied), (4, PassStarted), *new]]
    assert (again.sequence, again.state.text) == (8, "text")
    assert (await told(reading(again, after=0), 6))[4:] == new


async def test_what_comes_first_after_left_out_numbers_is_not_seen_before_it_is_in_the_log() -> None:
    """Another crash then leaves out numbers behind those that were shown now; what follows waits as ever."""
    log = BlockedLog()
    feed = await crashed(log, shown=2)
    feed.skip_lost()
    log.released.clear()
    beginning = asyncio.create_task(feed.emit(PassStarted(1)))
    await eventually(lambda: log.is_waiting)
    early = await feed.page(4)
    log.released.set()
    await beginning
    log.released.clear()
    await feed.emit(TextDelta(1, "text"))
    later = await feed.page(first := 4 + 64 + 1)
    log.released.set()
    feed.close()

    assert early == ()
    assert log.events[-1].sequence == first
    assert [each.sequence for each in later or ()] == [first + 1]


async def test_the_end_is_not_seen_before_it_is_in_the_log() -> None:
    """A reader who looks while the end is being written waits for it; then it comes."""
    log = BlockedLog()
    feed = await ended_pass(log)
    log.released.clear()
    ending = asyncio.create_task(feed.emit(Completed(ANSWER)))
    await eventually(lambda: log.is_waiting)
    early = [await feed.page(4), await feed.page(5)]
    seen = asyncio.create_task(told(reading(feed, after=5), 1))
    log.released.set()
    await ending

    assert [[each.sequence for each in page or ()] for page in early] == [[5], []]
    assert await seen == [(6, Completed)]
    assert log.events[-1].sequence == 6


async def test_an_end_that_the_log_refuses_is_never_seen() -> None:
    """The stream ends with the error alone, so that the answer made later contradicts nothing that was shown."""
    log = BlockedLog()
    feed = await ended_pass(log)
    log.failure = DependencyUnavailable("disk full")
    reader = reading(feed, after=5)
    with pytest.raises(DependencyUnavailable) as refused:
        await feed.emit(Completed(ANSWER))
    feed.close(refused.value)

    with pytest.raises(DependencyUnavailable, match="disk full"):
        await anext(reader)
