"""Answers that other processes make, want, lose and take, as far as one process sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from common.core.errors import Cancelled, DependencyUnavailable
from orchestrator.domain.answers.errors import HoldLost
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    NumberedEvent,
    PassFinished,
    Started,
    TextDelta,
)
from orchestrator.domain.answers.records import AnswerRecord, Held, Hold, Question
from orchestrator.domain.questions.question import Classification
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.runs import Runs, RunSettings
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog
from tests.unit.orchestrator.runs.test_orchestrator_feed_losses import BEFORE_TEXT
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER

CLOCK = FakeClock()
RECORD = AnswerRecord("a", "ann", Question("shop", "What is it?"), "", CLOCK.now())


class GuardedLog(MemoryLog):
    """A log that takes events only while the answer is held here."""

    def __init__(self) -> None:
        super().__init__()
        self.is_held = True

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """Keep events. Raises HoldLost."""
        if not self.is_held:
            raise HoldLost(answer_id)
        await super().append(answer_id, events)


@dataclass
class Store:
    """Records and holds that say what a test wants, and remember what they were told; `turns` ends with its last."""

    log: GuardedLog = field(default_factory=GuardedLog)
    turns: list[Hold] = field(default_factory=lambda: [Hold.CLEAN])
    held: Held = field(default_factory=Held)
    failure: Exception | None = None
    asked: int = 0
    kept: list[list[str]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def begin(self, answer_id: str) -> Hold:
        """Say whose turn it is."""
        self.asked += 1
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        self.log.is_held = turn in (Hold.CLEAN, Hold.BROKEN)
        return turn

    async def end(self, answer_id: str) -> None:
        """Take note."""
        self.ended.append(answer_id)

    async def keep(self, answer_ids: Sequence[str]) -> Held:
        """Say what became of the answers, or that nobody knows."""
        self.kept.append(list(answer_ids))
        if self.failure is not None:
            raise self.failure
        return self.held


async def _begun_and_waiting(_: AnswerRecord, feed: AnswerFeed) -> None:
    await feed.emit(Started("a"))
    await asyncio.Event().wait()


@asynccontextmanager
async def running(
    store: Store,
    drive: Callable[[AnswerRecord, AnswerFeed], Awaitable[None]] = _begun_and_waiting,
    linger_seconds: float = 0.0,
    **options: Any,
) -> AsyncIterator[Runs]:
    """Run answers beside the loop that keeps them held."""
    records: Any = store
    runs = Runs(drive, records, store.log, CLOCK, RunSettings(linger_seconds=linger_seconds), **options)
    keeping = asyncio.create_task(runs.keep_holds(store, 0.005))
    try:
        yield runs
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})
        await runs.close()


async def test_an_answer_that_is_wanted_elsewhere_goes_on_and_is_kept_sooner() -> None:
    """Its own reader leaves; it is suspended only when nobody elsewhere wants it any more."""
    store = Store(held=Held(wanted=frozenset({"a"})))
    feeds: list[AnswerFeed] = []

    async def drive(record: AnswerRecord, feed: AnswerFeed) -> None:
        feeds.append(feed)
        await _begun_and_waiting(record, feed)

    async with running(store, drive) as runs:
        runs.begin(RECORD)
        reader = await runs.follow(RECORD, 0)
        await anext(reader)
        usual = feeds[0].text_seconds
        await eventually(lambda: feeds[0].text_seconds < usual)
        wanted = feeds[0].text_seconds
        reader.close()
        asked = len(store.kept)
        await eventually(lambda: len(store.kept) > asked + 3)
        went_on = not store.ended
        store.held = Held()
        await eventually(lambda: store.ended == ["a"])

    assert (usual, wanted, feeds[0].text_seconds) == (2.0, 0.2, 2.0)
    assert went_on


async def test_an_answer_that_lingers_ends_when_nobody_wants_it_any_more() -> None:
    """Its reader does not come back, and who wanted it elsewhere when its time was over has left, too."""
    store = Store(held=Held(wanted=frozenset({"a"})))
    async with running(store, linger_seconds=0.01) as runs:
        runs.begin(RECORD)
        reader = await runs.follow(RECORD, 0)
        await anext(reader)
        await eventually(lambda: runs._running["a"].is_wanted)
        reader.close()
        kept = len(store.kept)
        await eventually(lambda: len(store.kept) > kept + 10)  # each takes half of what it lingers
        went_on = not store.ended
        store.held = Held()
        await eventually(lambda: store.ended == ["a"])

    assert went_on


async def test_a_reader_who_comes_back_stops_the_lingering() -> None:
    """What was left of it does not end the answer when the reader leaves again later."""
    store = Store()
    async with running(store, linger_seconds=60.0) as runs:
        runs.begin(RECORD)
        reader = await runs.follow(RECORD, 0)
        await anext(reader)
        reader.close()
        lingering = runs._running["a"].lingering
        again = await runs.follow(RECORD, 0)
        went_on = not store.ended
        again.close()

    assert went_on
    assert lingering is not None
    assert lingering.cancelled()


async def test_a_whole_answer_is_not_cancelled_while_it_is_let_go() -> None:
    """Nothing runs any more, and its end is in the log."""
    store, letting_go = Store(), asyncio.Event()
    end = store.end

    async def slow_end(answer_id: str) -> None:
        await letting_go.wait()
        await end(answer_id)

    store.end = slow_end  # type: ignore[method-assign]  # a server that is slow at this moment

    async def drive(_: AnswerRecord, feed: AnswerFeed) -> None:
        for event in (*BEFORE_TEXT, PassFinished(1), Completed(ANSWER)):
            await feed.emit(event)

    async with running(store, drive) as runs:
        runs.begin(RECORD)
        await eventually(lambda: bool(store.log.events) and isinstance(store.log.events[-1].event, Completed))
        was_running = await runs.cancel(RECORD)
        letting_go.set()
        await eventually(lambda: store.ended == ["a"])

    assert not was_running


async def test_a_store_that_is_away_for_a_while_changes_nothing() -> None:
    """What is made goes on, and is kept held as soon as that can be said again."""
    store = Store(failure=DependencyUnavailable("away"))
    async with running(store) as runs:
        runs.begin(RECORD)
        reader = await runs.follow(RECORD, 0)
        await anext(reader)
        await eventually(lambda: len(store.kept) > 3)
        store.failure = None
        await eventually(lambda: len(store.kept) > 6)

        assert store.ended == []


async def test_who_waits_for_its_turn_makes_the_rest_when_it_comes() -> None:
    """What the other has kept is told first, the numbers go on behind it, and only what is made here is counted."""
    store = Store(turns=[Hold.ELSEWHERE, Hold.ELSEWHERE, Hold.CLEAN])
    counted: list[int] = []
    await store.log.append("a", [NumberedEvent(1, CLOCK.now(), Started("a"))])

    async def drive(_: AnswerRecord, feed: AnswerFeed) -> None:
        await feed.emit(Classified(Classification()))
        await asyncio.Event().wait()

    async with running(store, drive, counted=counted.append) as runs:
        reader = await runs.follow(RECORD, 0)
        first = await anext(reader)
        while_followed = list(counted)
        second = await anext(reader)
        reader.close()

    assert [first.sequence, second.sequence] == [1, 2]
    assert while_followed == []
    assert counted == [1, 0]
    assert store.asked == 3


async def test_who_takes_over_goes_on_behind_what_the_last_maker_kept_at_the_end() -> None:
    """It may have kept something between the last look at the log and its letting go."""

    class LateStore(Store):
        async def begin(self, answer_id: str) -> Hold:
            turn = await super().begin(answer_id)
            if turn is Hold.CLEAN:
                self.log.events.append(NumberedEvent(2, CLOCK.now(), Classified(Classification())))
            return turn

    store = LateStore(turns=[Hold.ELSEWHERE, Hold.CLEAN])
    await store.log.append("a", [NumberedEvent(1, CLOCK.now(), Started("a"))])

    async def drive(_: AnswerRecord, feed: AnswerFeed) -> None:
        await feed.emit(EvidenceSupplied(1))
        await asyncio.Event().wait()

    async with running(store, drive) as runs:
        reader = await runs.follow(RECORD, 0)
        told = [await anext(reader) for _ in range(3)]
        reader.close()

    assert [each.sequence for each in told] == [1, 2, 3]


async def test_an_answer_that_was_lost_is_followed_and_may_come_back() -> None:
    """The other died, too: the answer is made here again, beyond all numbers that anybody may have seen."""
    store, begun = Store(turns=[Hold.ELSEWHERE, Hold.BROKEN]), []

    async def drive(_: AnswerRecord, feed: AnswerFeed) -> None:
        begun.append(feed.state.phase)
        if len(begun) == 1:
            await feed.emit(Started("a"))
            await feed.flush()
            store.log.is_held = False
            store.held = Held(lost=frozenset({"a"}))
            await asyncio.Event().wait()
        store.held = Held()
        await feed.emit(Classified(Classification()))
        await asyncio.Event().wait()

    async with running(store, drive) as runs:
        runs.begin(RECORD)
        reader = await runs.follow(RECORD, 0)
        numbers = [(await anext(reader)).sequence, (await anext(reader)).sequence]

    assert numbers == [1, 66]
    assert len(begun) == 2


async def test_a_loss_that_the_log_tells_as_well_leaves_no_cancellation_behind() -> None:
    """What is shown and not kept yet is refused by the log while the making ends: what comes later is not cancelled."""
    store, cancellations = Store(turns=[Hold.ELSEWHERE, Hold.BROKEN]), []

    async def drive(_: AnswerRecord, feed: AnswerFeed) -> None:
        making = asyncio.current_task()
        assert making is not None
        cancellations.append(making.cancelling())
        if len(cancellations) == 1:
            for event in (*BEFORE_TEXT, TextDelta(1, "It")):
                await feed.emit(event)
            store.log.is_held = False
            store.held = Held(lost=frozenset({"a"}))
        else:
            store.held = Held()
        await asyncio.Event().wait()

    async with running(store, drive) as runs:
        runs.begin(RECORD)
        await eventually(lambda: len(cancellations) > 1)

    assert cancellations == [0, 0]


async def test_a_loss_that_is_told_again_and_again_stops_the_making_once() -> None:
    """What ends slowly ends whole, and nothing of it cancels what comes later."""
    store, cancellations, ended = Store(turns=[Hold.ELSEWHERE, Hold.BROKEN]), [], []

    async def drive(_: AnswerRecord, __: AnswerFeed) -> None:
        making = asyncio.current_task()
        assert making is not None
        cancellations.append(making.cancelling())
        if len(cancellations) == 1:
            store.held = Held(lost=frozenset({"a"}))
        else:
            store.held = Held()
        try:
            await asyncio.Event().wait()
        finally:
            told = len(store.kept)
            if len(cancellations) == 1:
                await eventually(lambda: len(store.kept) > told + 2)
            ended.append(len(cancellations))

    async with running(store, drive) as runs:
        runs.begin(RECORD)
        await eventually(lambda: len(cancellations) > 1)

    assert cancellations == [0, 0]
    assert ended == [1, 2]


async def test_an_answer_that_can_be_kept_no_more_ends_quietly_when_nobody_reads_it() -> None:
    """Its reader leaves while another has taken it: nothing is followed for nobody, and nothing failed."""
    store = Store()
    async with running(store) as runs:
        runs.begin(RECORD)
        reader = await runs.follow(RECORD, 0)
        await anext(reader)
        store.log.is_held = False
        reader.close()
        await eventually(lambda: not runs._running)

    assert store.asked == 0


async def test_what_is_refused_ends_the_stream_of_who_waits() -> None:
    """Cancelled or forgotten where it was made: it is nobody's turn any more."""
    store = Store(turns=[Hold.ELSEWHERE, Hold.REFUSED])
    await store.log.append("a", [NumberedEvent(1, CLOCK.now(), Started("a"))])
    async with running(store) as runs:
        reader = await runs.follow(RECORD, 0)
        await anext(reader)
        with pytest.raises(Cancelled):
            await anext(reader)
        reader.close()
