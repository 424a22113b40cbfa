"""Makes answers a second time, by another configuration and for nobody, to see how far the two agree."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from orchestrator.domain.answers.agreement import compare
from orchestrator.domain.answers.records import SHADOW_OWNER, shadow_id
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.shadows.stand_ins import InMemoryEventLog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import date

    from common.core.clock import Clock
    from orchestrator.domain.answers.answer import Answer
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.questions.sessions import SessionMemory
    from orchestrator.ports import EventLog, Rollout, ShadowObserver, ShadowRecords

    Drive = Callable[[AnswerRecord, AnswerFeed, SessionMemory], Awaitable[None]]

_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ShadowLimits:
    """
    What shadows may take.

    Args:
        at_once: Shadows that are made at once; an answer that ends meanwhile gets none.
        per_day: Shadows that are begun in a day of UTC: each costs no more than an answer may, so this bounds the cost.
        busy_answers: Served answers in the making beyond which none begins and those that run are dropped.
        seconds: Longest that one may take.
    """

    at_once: int = 1
    per_day: int = 1000
    busy_answers: int = 20
    seconds: float = 300.0


class Shadows:
    """
    Makes the shadows of some answers, after these are whole, and keeps and compares those that come to their end.

    Nobody waits for a shadow, and what it meets is told to its observer alone. One that does not come to its end leaves
    nothing behind. All are dropped, and none begins, while served answers are many, while the kill switch is thrown
    (seen within a second), and from `stop` on.

    Args:
        drive: Makes an answer whole by the other configuration, with what the session remembered before.
        rollout: Says which sessions get shadows, and whether the kill switch is thrown.
        records: Who asked what.
        log: Where events are kept.
        clock: Dates events and days.
        observer: Watches.
        limits: What they may take.
        begin: Called within each shadow's task with the seconds that it may take: the call that it stems from is over.
    """

    def __init__(
        self,
        drive: Drive,
        rollout: Rollout,
        records: ShadowRecords,
        log: EventLog,
        clock: Clock,
        observer: ShadowObserver,
        limits: ShadowLimits,
        begin: Callable[[float], None],
    ) -> None:
        self._drive = drive
        self._rollout = rollout
        self._records = records
        self._log = log
        self._clock = clock
        self._observer = observer
        self._limits = limits
        self._begin = begin
        self._running: dict[str, asyncio.Task[None]] = {}
        self._keeping: dict[str, asyncio.Task[None]] = {}
        self._answers = 0
        self._begun: tuple[date | None, int] = (None, 0)
        self._looking: asyncio.TimerHandle | None = None
        self._is_stopped = False

    def completed(self, record: AnswerRecord, answer: Answer, memory: SessionMemory) -> None:
        """
        Begin the shadow of an answer that is whole, if its session gets shadows and there is room.

        Args:
            record: Who asked what.
            answer: What was served; one that a model failed to write, or that knew no session, gets no shadow.
            memory: What the session remembered before it.
        """
        session_id = record.question.session_id
        if not session_id or "model" in answer.degraded or not self._has_room() or not self._rollout.admits(session_id):
            return
        today = self._clock.now().date()
        count = self._begun[1] if self._begun[0] == today else 0
        if count >= self._limits.per_day:
            return
        self._begun = (today, count + 1)
        task = asyncio.create_task(self._make(record, answer, memory), name=f"shadow of {record.answer_id}")
        task.add_done_callback(partial(self._ended, record.answer_id))
        self._running[record.answer_id] = task
        self._look()

    def served(self, answers: int) -> None:
        """Take note of how many answers are being made for callers."""
        self._answers = answers
        if self._running and self._is_busy:
            self._drop("busy")

    def stop(self) -> None:
        """Drop all, and begin none from now on."""
        self._is_stopped = True
        self._drop("stopping")

    async def close(self) -> None:
        """Stop; returns when the tasks have ended."""
        self.stop()
        await asyncio.gather(*self._running.values(), *self._keeping.values(), return_exceptions=True)

    @property
    def _is_busy(self) -> bool:
        return self._answers > self._limits.busy_answers

    def _has_room(self) -> bool:
        return not self._is_stopped and not self._is_busy and len(self._running) < self._limits.at_once

    def _look(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if self._rollout.is_stopped():
            self._drop("kill_switch")
        elif self._running:
            self._looking = asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._look)

    def _drop(self, reason: str) -> None:
        for task in self._running.values():
            if not task.cancelling() and task.cancel():
                self._observer.shadow_dropped(reason)

    async def _make(self, record: AnswerRecord, served: Answer, memory: SessionMemory) -> None:
        self._begin(self._limits.seconds)
        question = replace(record.question, request_id="", snapshot_id=served.snapshot_id)
        own = replace(record, answer_id=shadow_id(record.answer_id), owner=SHADOW_OWNER, question=question)
        kept = InMemoryEventLog()
        feed = AnswerFeed(own.answer_id, kept, self._clock)
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._drive(own, feed, memory)
        finally:
            feed.close()
        # What is whole is kept whole: it is not dropped any more.
        self._keeping[record.answer_id] = self._running.pop(record.answer_id)
        shadow = feed.state.answer
        if shadow is None or self._rollout.is_stopped():
            return
        if "model" in shadow.degraded:
            # What was written from evidence instead says nothing of the configuration that is tried.
            self._observer.shadow_failed(record.answer_id, "model")
            return
        if not await self._records.create_beside(own, record.answer_id):
            # Whoever forgot the answer meanwhile forgot its shadow, too.
            return
        await self._log.append(own.answer_id, kept.events)
        await self._records.end(own.answer_id)
        self._observer.shadow_completed(served, shadow, compare(served, shadow))

    def _ended(self, answer_id: str, task: asyncio.Task[None]) -> None:
        self._running.pop(answer_id, None)
        self._keeping.pop(answer_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._observer.shadow_failed(answer_id, type(error).__name__)
