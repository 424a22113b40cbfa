"""Opens, reads, lists and deletes sessions of a caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.errors import SessionNotFound

if TYPE_CHECKING:
    from orchestrator.domain.questions.sessions import Session
    from orchestrator.ports import AnswerRecords, SessionStore
    from orchestrator.usecases.runs import Runs


class ManageSessions:
    """What a caller can do with sessions; an expired one counts as gone."""

    def __init__(self, sessions: SessionStore, records: AnswerRecords, runs: Runs) -> None:
        self._sessions = sessions
        self._records = records
        self._runs = runs

    async def create(self, owner: str, repository: str) -> Session:
        """Open a session."""
        return await self._sessions.create(owner, repository)

    async def get(self, session_id: str, owner: str) -> Session:
        """Return a session. Raises SessionNotFound."""
        session, is_expired = await self._sessions.find(session_id, owner)
        if is_expired:
            text = f"session {session_id} has expired; open a new one"
            raise SessionNotFound(text, metadata={"session_id": session_id})
        return session

    async def list(self, owner: str, after: str, limit: int) -> tuple[Session, ...]:
        """Return the caller's sessions, last used first."""
        return await self._sessions.list(owner, after, limit)

    async def delete(self, session_id: str, owner: str) -> None:
        """Delete a session, its memory and its answers. Raises SessionNotFound."""
        await self._sessions.find(session_id, owner)
        self._runs.forget_session(session_id)
        # Answers first: if this is interrupted, the session still exists, and its owner can delete it again.
        await self._records.forget_session(session_id)
        await self._sessions.delete(session_id, owner)
