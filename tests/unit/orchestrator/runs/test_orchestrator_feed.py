"""The feed of one answer: bounded memory, many readers, heartbeats."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from common.core.errors import Cancelled, DependencyUnavailable
from orchestrator.domain.answers.errors import AnswerNotFound
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    Heartbeat,
    NumberedEvent,
    PassStarted,
    Started,
    TextDelta,
)
from orchestrator.domain.answers.phases import IllegalTransition
from orchestrator.domain.questions.question import Classification
from orchestrator.usecases.feed import AnswerFeed
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER


class MemoryLog:
    """A log that remembers how it was written."""

    def __init__(self) -> None:
        self.events: list[NumberedEvent] = []
        self.batches: list[int] = []
        self.failure: Exception | None = None

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """Keep events, or fail as told."""
        self.batches.append(len(events))
        if self.failure is not None:
            raise self.failure
        self.events += events

    async def read(self, answer_id: str, after: int, limit: int) -> tuple[NumberedEvent, ...]:
        """Return events behind a sequence number."""
        return tuple([each for each in self.events if each.sequence > after][:limit])


async def feed_in_pass(log: MemoryLog, *, recent: int = 8, unlogged: int = 4) -> AnswerFeed:
    """Return a feed in its first pass."""
    feed = AnswerFeed("a", log, FakeClock(), recent=recent, unlogged=unlogged)
    for event in (Started("a"), Classified(Classification()), EvidenceSupplied(1), PassStarted(1)):
        await feed.emit(event)
    return feed


async def collect(feed: AnswerFeed, after: int = 0) -> list[int]:
    """Return the sequences of a closed feed."""
    return [each.sequence async for each in feed.read(after, heartbeat_seconds=9)]


async def test_text_is_logged_in_batches() -> None:
    """A few pieces of text wait for each other; memory holds no more than its bound beyond them."""
    log = MemoryLog()
    feed = await feed_in_pass(log)
    for number in range(100):
        await feed.emit(TextDelta(1, f"{number} "))

    assert set(log.batches) == {4}
    assert len(feed._recent) <= 8 + 4


async def test_what_is_not_text_is_logged_while_its_maker_goes_on() -> None:
    """Nobody waits for the log, and nothing more needs to happen for the event to get there."""
    log = MemoryLog()
    feed = AnswerFeed("a", log, FakeClock())
    await feed.emit(Started("a"))
    logged_meanwhile = len(log.events)
    await eventually(lambda: len(log.events) == 1)

    assert logged_meanwhile == 0


async def test_a_log_that_fails_is_told_to_the_maker() -> None:
    """The event after the one that could not be logged raises why; so does the end."""
    log = MemoryLog()
    log.failure = DependencyUnavailable("disk full")
    feed = AnswerFeed("a", log, FakeClock())
    await feed.emit(Started("a"))
    await eventually(lambda: log.batches == [1])

    with pytest.raises(DependencyUnavailable, match="disk full"):
        await feed.emit(Classified(Classification()))
    with pytest.raises(DependencyUnavailable, match="disk full"):
        await feed.flush()


async def test_a_log_that_recovers_gets_what_it_refused() -> None:
    """A failure in the background is told once; the flush at the end writes all that readers may have seen."""
    log = MemoryLog()
    log.failure = DependencyUnavailable("disk full")
    feed = AnswerFeed("a", log, FakeClock())
    await feed.emit(Started("a"))
    await eventually(lambda: log.batches == [1])
    log.failure = None

    with pytest.raises(DependencyUnavailable, match="disk full"):
        await feed.emit(Classified(Classification()))
    await feed.flush()

    assert [each.sequence for each in log.events] == [1, 2]


async def test_an_answer_completes_when_the_log_has_recovered() -> None:
    """The end does not fail over a failure that is past: all of it is in the log."""
    log = MemoryLog()
    feed = AnswerFeed("a", log, FakeClock())
    for event in (Started("a"), Classified(Classification())):
        await feed.emit(event)
    await feed.flush()
    log.failure = DependencyUnavailable("disk full")
    await feed.emit(EvidenceSupplied(1))
    await eventually(lambda: log.batches == [2, 1])
    log.failure = None
    await feed.emit(Completed(ANSWER))
    await feed.flush()

    assert [each.sequence for each in log.events] == [1, 2, 3, 4]


async def test_a_reader_who_is_behind_reads_from_the_log() -> None:
    """What memory let go is read again, in order and without holes, from any place."""
    log = MemoryLog()
    feed = await feed_in_pass(log)
    for number in range(50):
        await feed.emit(TextDelta(1, str(number)))
    await feed.flush()
    feed.close()

    assert await collect(feed) == list(range(1, 55))
    assert await collect(feed, 53) == [54]


@pytest.mark.parametrize("error", [None, Cancelled("answer a was cancelled")])
async def test_a_reader_who_is_behind_learns_that_the_answer_was_forgotten(error: Cancelled | None) -> None:
    """The log has nothing for it any more, and never will: it does not wait for more, whatever ended the feed."""
    log = MemoryLog()
    feed = await feed_in_pass(log)
    await feed.flush()
    feed.close(error)
    log.events.clear()

    with pytest.raises(Cancelled if error else AnswerNotFound):
        await anext(feed.read(0, heartbeat_seconds=0.01))


async def test_what_is_logged_and_taken_is_let_go() -> None:
    """Memory keeps what the log or a reader lacks, and nothing else; who comes later reads from the log."""
    log = MemoryLog()
    feed = AnswerFeed("a", log, FakeClock())
    reader = feed.read(0, heartbeat_seconds=9)
    for event in (Started("a"), Classified(Classification()), EvidenceSupplied(1), PassStarted(1)):
        await feed.emit(event)
    await feed.flush()
    await anext(reader)
    untaken = [each.sequence for each in feed._recent]
    for _ in range(3):
        await anext(reader)
    await feed.emit(TextDelta(1, "text"))
    await anext(reader)
    unlogged = [each.sequence for each in feed._recent]
    feed.close()

    assert (untaken, unlogged) == ([2, 3, 4], [5])
    assert await collect(feed) == [1, 2, 3, 4, 5]


async def test_restores_where_the_log_ends() -> None:
    """A second feed over the same log has the same state and goes on with the next number."""
    log = MemoryLog()
    feed = await feed_in_pass(log)
    await feed.emit(TextDelta(1, "text"))
    await feed.flush()

    again = AnswerFeed("a", log, FakeClock())
    await again.restore()

    assert (again.state, again.sequence) == (feed.state, feed.sequence)


async def test_silence_gives_a_heartbeat_with_the_last_sequence() -> None:
    """A reader who waits hears a heartbeat, then what comes."""
    feed = await feed_in_pass(MemoryLog())
    events = feed.read(4, heartbeat_seconds=0.01)

    beat = await anext(events)
    waiting = asyncio.ensure_future(anext(events))
    await feed.emit(TextDelta(1, "text"))
    told = await waiting
    events.close()

    assert beat == Heartbeat(4, FakeClock().now())
    assert told.sequence in (4, 5)


async def test_silence_counts_from_the_last_event() -> None:
    """One timer serves many waits: after an event it goes on for what is left, and beats again in every silence."""
    feed = await feed_in_pass(MemoryLog())
    events = feed.read(4, heartbeat_seconds=0.2)
    loop = asyncio.get_running_loop()
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    await feed.emit(TextDelta(1, "text"))
    told, since = await waiting, loop.time()
    beats = [await anext(events), await anext(events)]
    waited = loop.time() - since
    events.close()

    assert told.sequence == 5
    assert beats == [Heartbeat(5, FakeClock().now())] * 2
    assert waited >= 0.39


async def test_a_closed_feed_ends_with_its_error() -> None:
    """Readers get what is there, then the error."""
    feed = await feed_in_pass(MemoryLog())
    feed.close(RuntimeError("broken"))
    events = feed.read(0, heartbeat_seconds=9)
    seen = [await anext(events) for _ in range(4)]

    assert [each.sequence for each in seen] == [1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="broken"):
        await anext(events)


async def test_an_event_out_of_order_is_refused_and_not_told() -> None:
    """A defect of the maker does not reach readers or log."""
    log = MemoryLog()
    feed = await feed_in_pass(log)

    with pytest.raises(IllegalTransition):
        await feed.emit(Started("b"))
    await feed.flush()

    assert len(log.events) == 4


async def test_a_reader_who_left_holds_nothing_back() -> None:
    """What it had not taken is forgotten with it, then and later."""
    feed = await feed_in_pass(MemoryLog(), recent=100)
    reader = feed.read(4, heartbeat_seconds=60)
    await feed.emit(TextDelta(1, "one"))
    await feed.flush()
    held = [event.sequence for event in feed._recent]
    reader.close()
    left = [event.sequence for event in feed._recent]
    await feed.emit(TextDelta(1, "later"))
    await feed.flush()

    assert (held, left) == ([5], [])
    assert not feed._recent
