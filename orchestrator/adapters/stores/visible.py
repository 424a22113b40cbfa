"""Restricts the stores to repositories that the current caller may see; all others seem not to exist."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.domain.answers.errors import SessionNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.visibility import Visibility
    from orchestrator.domain.answers.records import AnswerRecord, IndexDebt, RatedAnswer, Rating
    from orchestrator.domain.evidence.piece import GapResult
    from orchestrator.domain.questions.sessions import Session
    from orchestrator.ports import AnswerRecords, Feedback, SessionStore


class VisibleSessions:
    """Implements `SessionStore` by another one, for visible repositories only."""

    def __init__(self, sessions: SessionStore, visibility: Visibility) -> None:
        self._sessions = sessions
        self._visibility = visibility

    async def create(self, owner: str, repository: str) -> Session:
        """Open a session, even of an invisible repository, about which the retriever then answers nothing."""
        self._visibility.admits(repository)
        return await self._sessions.create(owner, repository)

    async def find(self, session_id: str, owner: str) -> tuple[Session, bool]:
        """Return the owner's session and whether it is expired. Raises SessionNotFound, also for another owner's."""
        found = await self._sessions.find(session_id, owner)
        if not self._visibility.admits(found[0].repository):
            raise SessionNotFound.of(session_id)
        return found

    async def list(self, owner: str, after: str, limit: int) -> tuple[Session, ...]:
        """Return the owner's sessions that are not expired, last used first, after a cursor."""
        found: list[Session] = []
        while True:
            page = await self._sessions.list(owner, after, limit)
            found += [each for each in page if self._visibility.sees(each.repository)]
            if len(page) < limit or len(found) >= limit:
                return tuple(found[:limit])
            after = page[-1].place

    async def delete(self, session_id: str, owner: str) -> None:
        """Delete a session and its memory. Raises SessionNotFound."""
        await self.find(session_id, owner)
        await self._sessions.delete(session_id, owner)


class VisibleRecords:
    """Implements `AnswerRecords` by another one, for visible repositories only."""

    def __init__(self, records: AnswerRecords, visibility: Visibility) -> None:
        self._records = records
        self._visibility = visibility

    async def create(self, record: AnswerRecord) -> AnswerRecord:
        """
        Store a record; if its owner used its request id before, store nothing and return that earlier record.

        If the repository is no longer visible, the earlier record is not returned: the retriever refuses a new answer.
        """
        if self._visibility.admits(record.question.repository):
            return await self._records.create(record)
        return await self._records.create(replace(record, question=replace(record.question, request_id="")))

    async def find(self, answer_id: str) -> AnswerRecord | None:
        """Return a record."""
        record = await self._records.find(answer_id)
        return record if record is not None and self._visibility.admits(record.question.repository) else None

    async def find_by_request(self, owner: str, request_id: str) -> AnswerRecord | None:
        """Return the record of an owner's request id."""
        record = await self._records.find_by_request(owner, request_id)
        return record if record is not None and self._visibility.admits(record.question.repository) else None

    async def forget_session(self, session_id: str) -> None:
        """Delete the answers of a session, whose owner has found it before."""
        await self._records.forget_session(session_id)


class VisibleFeedback:
    """Implements `Feedback` by another one, for visible repositories only."""

    def __init__(self, feedback: Feedback, visibility: Visibility) -> None:
        self._feedback = feedback
        self._visibility = visibility

    async def rate(self, rating: Rating) -> bool:
        """Store a rating of an answer, whose owner has found it before."""
        return await self._feedback.rate(rating)

    async def list_ratings(self, repository: str, after: str, limit: int) -> tuple[RatedAnswer, ...]:
        """Return ratings; none of an invisible repository."""
        return (
            await self._feedback.list_ratings(repository, after, limit) if self._visibility.admits(repository) else ()
        )

    async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
        """Count unresolved gaps."""
        await self._feedback.add_debts(repository, results)

    async def list_debts(self, repository: str, after: str, limit: int) -> tuple[IndexDebt, ...]:
        """Return causes of unresolved gaps, most frequent first; none of an invisible repository."""
        return await self._feedback.list_debts(repository, after, limit) if self._visibility.admits(repository) else ()
