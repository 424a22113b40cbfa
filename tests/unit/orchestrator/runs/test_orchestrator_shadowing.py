"""Which answers get a shadow, and what becomes of it: nothing, unless it comes to its end."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.engines.rollout import Rollout
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.domain.answers.agreement import Agreement, Comparison
from orchestrator.domain.answers.answer import Answer
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    PassFinished,
    PassStarted,
    Started,
)
from orchestrator.domain.answers.records import SHADOW_OWNER, AnswerRecord, Hold, Question
from orchestrator.domain.questions.question import Classification
from orchestrator.domain.questions.sessions import SessionMemory
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.shadows.shadowing import ShadowLimits, Shadows
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER

SERVED = replace(ANSWER, answer_id="ans_1", degraded=())


@dataclass
class Watcher:
    """Remembers what became of shadows."""

    compared: list[tuple[str, str, Agreement]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def shadow_completed(self, served: Answer, shadow: Answer, comparison: Comparison) -> None:
        self.compared.append((served.answer_id, shadow.answer_id, comparison.agreement))

    def shadow_failed(self, answer_id: str, reason: str) -> None:
        self.failed.append((answer_id, reason))

    def shadow_dropped(self, reason: str) -> None:
        self.dropped.append(reason)


@dataclass
class Making:
    """Makes shadows when released, or fails, and remembers them."""

    made: SqliteAnswers
    clock: FakeClock
    watcher: Watcher = field(default_factory=Watcher)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    error: Exception | None = None
    answer: Answer = SERVED
    begun: list[AnswerRecord] = field(default_factory=list)
    memories: list[SessionMemory] = field(default_factory=list)
    cancelled: int = 0
    seconds: list[float] = field(default_factory=list)

    async def drive(self, record: AnswerRecord, feed: AnswerFeed, memory: SessionMemory) -> None:
        self.begun.append(record)
        self.memories.append(memory)
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error is not None:
            raise self.error
        for event in (Started("x"), Classified(Classification()), EvidenceSupplied(1), PassStarted(1), PassFinished(1)):
            await feed.emit(event)
        await feed.emit(Completed(replace(self.answer, answer_id=record.answer_id)))

    async def ask(self, answer_id: str = "ans_1") -> AnswerRecord:
        """Keep the record of an answer."""
        question = Question("shop", "How?", session_id="ses_1", request_id=f"req-{answer_id}")
        return await self.made.create(AnswerRecord(answer_id, "ann", question, "", self.clock.now()))

    def shadows(self, *, kill_switch: Path | None = None, percent: float = 100, **limits: Any) -> Shadows:
        """Return what is tested."""
        rollout = Rollout(percent, kill_switch, name="shadow ")
        bounds = ShadowLimits(**limits)
        return Shadows(self.drive, rollout, self.made, self.made, self.clock, self.watcher, bounds, self.seconds.append)


@asynccontextmanager
async def making(store: type[SqliteAnswers] = SqliteAnswers) -> AsyncIterator[Making]:
    clock = FakeClock()
    answers = store(None, clock)
    yield Making(answers, clock)
    await answers.close()


async def test_a_shadow_is_kept_for_nobody_and_compared() -> None:
    """It has the answer's question, session, snapshot and age, and none of its owner and request id."""
    async with making() as it:
        shadows, memory = it.shadows(seconds=7.0), SessionMemory()
        record = await it.ask()
        it.release.set()
        shadows.completed(record, SERVED, memory)
        await eventually(lambda: bool(it.watcher.compared))
        kept = await it.made.find("ans_1-shadow")
        events = await it.made.read("ans_1-shadow", 0, 100)
        hold = await it.made.begin("ans_1-shadow")
        await shadows.close()

    assert it.watcher.compared == [("ans_1", "ans_1-shadow", Agreement.SAME)]
    assert it.memories == [memory]
    assert it.seconds == [7.0]
    assert kept is not None
    assert kept.owner == "(shadow)"
    assert kept.create_time == record.create_time
    assert kept.question == replace(record.question, request_id="", snapshot_id=SERVED.snapshot_id)
    assert [each.sequence for each in events] == [1, 2, 3, 4, 5, 6]
    assert isinstance(events[-1].event, Completed)
    assert hold is Hold.CLEAN


@pytest.mark.parametrize(
    ("error", "answer", "reason"),
    [
        (DependencyUnavailable("x"), SERVED, "DependencyUnavailable"),
        (ValueError("x"), SERVED, "ValueError"),
        # What evidence alone answered instead says nothing of what is tried.
        (None, replace(SERVED, degraded=("model",)), "model"),
    ],
)
async def test_one_that_fails_leaves_nothing(error: Exception | None, answer: Answer, reason: str) -> None:
    """It is counted, and that is all."""
    async with making() as it:
        it.error, it.answer = error, answer
        shadows = it.shadows()
        it.release.set()
        shadows.completed(await it.ask(), SERVED, SessionMemory())
        await eventually(lambda: bool(it.watcher.failed))
        kept = await it.made.find("ans_1-shadow")

    assert it.watcher.failed == [("ans_1", reason)]
    assert kept is None


async def test_one_that_hangs_is_given_up() -> None:
    """After its time it is a failure, and makes room."""
    async with making() as it:
        shadows = it.shadows(seconds=0.02)
        record = await it.ask()
        shadows.completed(record, SERVED, SessionMemory())
        await eventually(lambda: bool(it.watcher.failed))
        shadows.completed(record, SERVED, SessionMemory())
        await eventually(lambda: len(it.begun) == 2)
        await shadows.close()

    assert it.watcher.failed == [("ans_1", "TimeoutError")]


async def test_what_is_forgotten_meanwhile_leaves_no_shadow() -> None:
    """A session that is deleted while a shadow is made takes it along."""
    async with making() as it:
        shadows = it.shadows()
        shadows.completed(await it.ask(), SERVED, SessionMemory())
        await eventually(lambda: bool(it.begun))
        await it.made.forget_session("ses_1")
        it.release.set()
        await eventually(lambda: not any(each.get_name().startswith("shadow") for each in asyncio.all_tasks()))
        kept = await it.made.find("ans_1-shadow")

    assert kept is None
    assert it.watcher == Watcher()


async def test_what_is_forgotten_at_the_last_moment_leaves_no_shadow() -> None:
    """Another replica deletes the session just before the shadow is kept: nobody would delete that any more."""

    class ForgetsFirst(SqliteAnswers):
        async def create(self, record: AnswerRecord) -> AnswerRecord:
            if record.owner == SHADOW_OWNER:
                await self.forget_session("ses_1")
            return await super().create(record)

        async def create_beside(self, record: AnswerRecord, answer_id: str) -> bool:
            await self.forget_session("ses_1")
            return await super().create_beside(record, answer_id)

    async with making(ForgetsFirst) as it:
        shadows = it.shadows()
        it.release.set()
        shadows.completed(await it.ask(), SERVED, SessionMemory())
        await eventually(lambda: not any(each.get_name().startswith("shadow") for each in asyncio.all_tasks()))
        kept = await it.made.find("ans_1-shadow")

    assert kept is None
    assert it.watcher == Watcher()


@pytest.mark.parametrize("is_repository", [False, True], ids=["session", "repository"])
async def test_what_is_deleted_takes_kept_shadows_along(is_repository: bool) -> None:
    """A session or a repository, as it does its answers."""
    async with making() as it:
        shadows = it.shadows()
        it.release.set()
        shadows.completed(await it.ask(), SERVED, SessionMemory())
        await eventually(lambda: bool(it.watcher.compared))
        if is_repository:
            await it.made.forget_repository("shop", it.clock.now() + timedelta(seconds=1))
        else:
            await it.made.forget_session("ses_1")
        kept, events = await it.made.find("ans_1-shadow"), await it.made.read("ans_1-shadow", 0, 9)

    assert (kept, events) == (None, ())


async def test_there_are_as_many_as_may_be() -> None:
    """Beyond what may be at once, and in a day, an answer gets none; the next day it does."""
    async with making() as it:
        shadows = it.shadows(at_once=2, per_day=3)
        records = [await it.ask(f"ans_{number}") for number in range(6)]
        for record in records[:3]:
            shadows.completed(record, SERVED, SessionMemory())
        await eventually(lambda: len(it.begun) == 2)
        it.release.set()
        await eventually(lambda: len(it.watcher.compared) == 2)
        for record in records[3:5]:
            shadows.completed(record, SERVED, SessionMemory())
            await shadows_end(it, 3)
        it.clock.advance(86_400)
        shadows.completed(records[5], SERVED, SessionMemory())
        await shadows_end(it, 4)
        await shadows.close()

    assert [each.answer_id for each in it.begun] == [f"ans_{number}-shadow" for number in (0, 1, 3, 5)]


@pytest.mark.parametrize("error", [None, ValueError("x")])
async def test_what_is_over_is_held_no_longer(error: Exception | None) -> None:
    """The task of a shadow that was kept, or failed, is freed: they would pile up for as long as the process lives."""
    async with making() as it:
        it.error, drive, tasks = error, it.drive, list[Any]()

        async def watched(record: AnswerRecord, feed: AnswerFeed, memory: SessionMemory) -> None:
            tasks.append(weakref.ref(asyncio.current_task()))
            await drive(record, feed, memory)

        it.drive = watched  # type: ignore[method-assign]  # it is handed on as a value
        shadows = it.shadows()
        it.release.set()
        shadows.completed(await it.ask(), SERVED, SessionMemory())
        await eventually(lambda: bool(it.watcher.compared or it.watcher.failed))
        await eventually(lambda: gc.collect() >= 0 and tasks[0]() is None)
        await shadows.close()


async def shadows_end(it: Making, count: int) -> None:
    """Wait until so many are compared."""
    await eventually(lambda: len(it.watcher.compared) == count)


@pytest.mark.parametrize(
    ("answer", "session_id"),
    [(replace(SERVED, degraded=("model",)), "ses_1"), (SERVED, "")],
    ids=["a model failed", "no session"],
)
async def test_what_is_in_trouble_gets_none(answer: Answer, session_id: str) -> None:
    """Where the model or the session store fails already, nothing is tried besides."""
    async with making() as it:
        shadows = it.shadows(at_once=2)
        record = await it.ask()
        shadows.completed(
            replace(record, question=replace(record.question, session_id=session_id)), answer, SessionMemory()
        )
        shadows.completed(await it.ask("ans_2"), SERVED, SessionMemory())
        await eventually(lambda: bool(it.begun))
        await shadows.close()

    assert [each.answer_id for each in it.begun] == ["ans_2-shadow"]


async def test_they_give_way_to_many_answers() -> None:
    """Beyond the bound none begins and those that run are dropped; below it they begin again."""
    async with making() as it:
        shadows = it.shadows(busy_answers=2)
        record = await it.ask()
        shadows.served(2)
        shadows.completed(record, SERVED, SessionMemory())
        await eventually(lambda: bool(it.begun))
        shadows.served(2)
        dropped_at_the_bound = list(it.watcher.dropped)
        shadows.served(3)
        shadows.served(4)
        await eventually(lambda: it.cancelled == 1)
        shadows.completed(record, SERVED, SessionMemory())
        shadows.served(2)
        begun_while_busy = len(it.begun)
        it.release.set()
        shadows.completed(record, SERVED, SessionMemory())
        await shadows_end(it, 1)

    assert (dropped_at_the_bound, begun_while_busy) == ([], 1)
    assert it.watcher.dropped == ["busy"]
    assert it.watcher.failed == []


@pytest.mark.parametrize("why", ["kill_switch", "stopping"])
async def test_the_kill_switch_and_a_drain_stop_them(tmp_path: Path, why: str) -> None:
    """Those that run within a second; none begins; nothing is kept and nothing counts as failed."""
    switch = tmp_path / "stop"
    async with making() as it:
        shadows = it.shadows(kill_switch=switch)
        record = await it.ask()
        shadows.completed(record, SERVED, SessionMemory())
        await eventually(lambda: bool(it.begun))
        (switch.touch if why == "kill_switch" else shadows.stop)()
        await eventually(lambda: it.cancelled == 1)
        shadows.completed(record, SERVED, SessionMemory())
        await shadows.close()
        kept = await it.made.find("ans_1-shadow")

    assert len(it.begun) == 1
    assert it.watcher == Watcher(dropped=[why])
    assert kept is None
