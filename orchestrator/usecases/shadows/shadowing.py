"""Makes shadows: answers made again by another configuration, only to measure how far the two agree."""

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
    Limits of shadows.

    Args:
        at_once: Shadows made at the same time; an answer that ends while there are as many gets no shadow.
        per_day: Shadows begun per UTC day; bounds the cost, since each costs no more than an answer may.
        busy_answers: Served answers in progress above which no shadow begins and running ones are dropped.
        seconds: Longest time for one shadow.
    """

    at_once: int = 1
    per_day: int = 1000
    busy_answers: int = 20
    seconds: float = 300.0


class Shadows:
    """
    Makes the shadows of some complete answers; stores and compares the shadows that are completed.

    No caller waits for a shadow, and only the observer learns of its errors. A shadow that is not completed leaves
    nothing stored. Running shadows are dropped, and none begins, while too many served answers are in progress, while
    the kill switch is on (noticed within a second), and after `stop`.

    Args:
        drive: Makes an answer by the other configuration, with the session's memory from before the served answer.
        rollout: Selects the sessions that get shadows, and reads the kill switch.
        records: Stores the records of shadows.
        log: Stores their events.
        clock: Gives the times of events, and the day.
        observer: Receives results and failures.
        limits: Limits of shadows.
        begin: Called in each shadow's task with its time limit in seconds, since the served call's deadline is past.
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
        Begin the shadow of a complete answer, if its session gets shadows and the limits allow one.

        Args:
            record: Owner and question of the answer.
            answer: The served answer; it gets no shadow if its model failed or it has no session.
            memory: The session's memory from before the answer.
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
        """Set the number of answers in progress for callers; drop running shadows if it is too high."""
        self._answers = answers
        if self._running and self._is_busy:
            self._drop("busy")

    def stop(self) -> None:
        """Drop all running shadows, and begin no more."""
        self._is_stopped = True
        self._drop("stopping")

    async def close(self) -> None:
        """Stop, and wait until all tasks have ended."""
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
        # A completed shadow is no longer dropped, so that it is stored entirely.
        self._keeping[record.answer_id] = self._running.pop(record.answer_id)
        shadow = feed.state.answer
        if shadow is None or self._rollout.is_stopped():
            return
        if "model" in shadow.degraded:
            # The fallback's text says nothing about the configuration on trial.
            self._observer.shadow_failed(record.answer_id, "model")
            return
        if not await self._records.create_beside(own, record.answer_id):
            # The answer was deleted meanwhile, so its shadow is not stored.
            return
        await self._log.append(own.answer_id, kept.events)
        await self._records.end(own.answer_id)
        self._observer.shadow_completed(served, shadow, compare(served, shadow))

    def _ended(self, answer_id: str, task: asyncio.Task[None]) -> None:
        self._running.pop(answer_id, None)
        self._keeping.pop(answer_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._observer.shadow_failed(answer_id, type(error).__name__)
