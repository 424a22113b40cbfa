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
    Starts the answer to a question, or finds the earlier answer with its request id, and follows it.

    The first event waits at most 80 ms for the retriever to name the snapshot. A retriever that answers in time can
    refuse an unknown repository before any event; one that is slower does not delay the start.

    Args:
        require_capacity: Raises Overloaded if a question of that many characters could not be answered in time.
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
        Return a reader of all events of the answer once the first is there; the caller must close it.

        Raises:
            SessionNotFound: for a session that is not the owner's.
            RequestIdReused: if the request id was used for a different request.
            InvalidArgument: if the budget leaves nothing for evidence, or the session has another repository.
            Overloaded: if the answer could not be made before the deadline.
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
        """Return the answer with the same request id, if any: a retry creates no session and calls no other service."""
        if not question.request_id:
            return None
        return await self._records.find_by_request(owner, question.request_id)

    async def _opened(self, question: Question, owner: str, fingerprint: str) -> AnswerRecord:
        # One after the other, so that no session is created for a repository that is refused.
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
        """Return the session's id, "" if the store is unavailable, and whether it replaces an expired session."""
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
