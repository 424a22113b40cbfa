"""Answers that end before their end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from orchestrator.domain.answers.events import NumberedEvent, Started
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.runs import Runs, RunSettings
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog


class SlowLog(MemoryLog):
    """Keeps nothing before it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.release = asyncio.Event()

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """Wait, then keep."""
        self.asked.set()
        await self.release.wait()
        await super().append(answer_id, events)


class Ends:
    """Records that remember which answers came to a proper end."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    async def end(self, answer_id: str) -> None:
        """Take note."""
        self.ended.append(answer_id)


async def _begin_and_wait(_: AnswerRecord, feed: AnswerFeed) -> None:
    await feed.emit(Started("a"))
    await asyncio.Event().wait()


async def test_an_end_that_is_asked_for_twice_keeps_what_was_shown() -> None:
    """A reader leaves, and while its events are being kept the process stops: they are kept all the same."""
    clock, log, ends = FakeClock(), SlowLog(), Ends()
    records: Any = ends
    runs = Runs(_begin_and_wait, records, log, clock, RunSettings())
    record = AnswerRecord("a", "ann", Question("shop", "What is it?"), "", clock.now())
    runs.begin(record)
    reader = await runs.follow(record, 0)
    await anext(reader)
    await log.asked.wait()
    reader.close()
    await asyncio.sleep(0)
    closing = asyncio.create_task(runs.close())
    await asyncio.sleep(0)
    log.release.set()
    await closing

    assert [each.sequence for each in await log.read("a", 0, 10)] == [1]
    assert ends.ended == ["a"]
