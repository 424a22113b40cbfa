"""Answers a question as a stream of events."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import DependencyUnavailable, InvalidArgument, Violation
from orchestrator.domain.answers.errors import RequestIdReused
from orchestrator.domain.answers.events import NumberedEvent, Started
from orchestrator.domain.answers.orders import Pin
from orchestrator.domain.answers.records import AnswerRecord
from orchestrator.domain.model_text.cleaning import without_colours
from orchestrator.usecases.answering.context import decide_budget

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.clock import Clock
    from common.core.ids import IdSource
    from orchestrator.domain.answers.records import Question
    from orchestrator.domain.questions.question import Budget
    from orchestrator.ports import AnswerObserver, AnswerRecords, Retriever, SessionStore
    from orchestrator.usecases.feed import FeedReader
    from orchestrator.usecases.runs import Runs

_PIN_SECONDS = 0.08


class Ask:
    """
    Takes up a question, or the answer that its request id stands for, and follows it.

    The first event waits for the snapshot's name no longer than 80 ms: an unknown repository is refused before any
    event if the retriever is awake, and a retriever that is busy does not hold up the start.

    Args:
        require_capacity: Raises Overloaded if the answer to a question of so many characters could not be made in time.
    """

    def __init__(
        self,
        runs: Runs,
        records: AnswerRecords,
        sessions: SessionStore,
        retriever: Retriever,
        ids: IdSource,
        clock: Clock,
        observer: AnswerObserver,
        budget: Budget,
        require_capacity: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._runs = runs
        self._records = records
        self._sessions = sessions
        self._retriever = retriever
        self._ids = ids
        self._clock = clock
        self._observer = observer
        self._budget = budget
        self._require_capacity = require_capacity

    async def run(self, question: Question, owner: str) -> FeedReader:
        """
        Return the events of the answer, from the first, once that is there; close them.

        Raises:
            SessionNotFound: for a session that is not the owner's.
            RequestIdReused: if the request id stands for another request.
            InvalidArgument: if the budget leaves nothing for evidence, or the session is about something else.
            Overloaded: if it could not be made in the time that there is for it.
            AppError: any other error of the retriever, or of making the answer.
        """
        asked_at = self._clock.monotonic()
        fingerprint = question.fingerprint()
        record = await self._earlier(question, owner)
        if record is None:
            decide_budget(question.options.budget, self._budget)
            self._require_capacity(len(question.question))
            opened = await self._opened(question, owner, fingerprint)
            record = await self._records.create(opened)
            if record.answer_id == opened.answer_id:
                self._runs.begin(record)
        if record.fingerprint != fingerprint:
            text = f"request id {question.request_id} was used for another request; use a new one"
            raise RequestIdReused(text, metadata={"request_id": question.request_id})
        events = await self._runs.follow(record, 0)
        try:
            first = await events.peek()
        except BaseException:
            events.close()
            raise
        if isinstance(first, NumberedEvent) and isinstance(first.event, Started):
            self._observer.observe_event(first.event, self._clock.monotonic() - asked_at)
        return events

    async def _earlier(self, question: Question, owner: str) -> AnswerRecord | None:
        """Return the answer of the same request id: a retry opens nothing and calls no other service."""
        if not question.request_id:
            return None
        return await self._records.find_by_request(owner, question.request_id)

    async def _opened(self, question: Question, owner: str, fingerprint: str) -> AnswerRecord:
        # One after the other: a repository that is refused leaves no session behind.
        pin = await self._pin(question)
        session_id, is_expired = await self._session(question, owner)
        plain = without_colours(question.question)
        return AnswerRecord(
            self._ids.new("ans"),
            owner,
            replace(question, question=plain, session_id=session_id, snapshot_id=pin.snapshot_id),
            fingerprint,
            self._clock.now(),
            session_expired=is_expired,
        )

    async def _session(self, question: Question, owner: str) -> tuple[str, bool]:
        """Return the session to use, "" if the store does not answer, and whether it replaces an expired one."""
        try:
            if not question.session_id:
                return (await self._sessions.create(owner, question.repository)).session_id, False
            session, is_expired = await self._sessions.find(question.session_id, owner)
            if session.repository != question.repository:
                text = f"belongs to repository {session.repository}; leave it empty to open a new one"
                raise InvalidArgument.of([Violation("session_id", text)])
            if is_expired:
                return (await self._sessions.create(owner, question.repository)).session_id, True
        except DependencyUnavailable:
            return "", False
        return session.session_id, False

    async def _pin(self, question: Question) -> Pin:
        pin = Pin(question.repository, question.snapshot_id)
        try:
            async with asyncio.timeout(_PIN_SECONDS):
                return await self._retriever.pin(pin)
        except TimeoutError:
            return pin
