"""What this service says no with, beyond the kit's errors."""

from __future__ import annotations

from common.core.errors import AppError, Kind


class SessionNotFound(AppError):
    """The caller has no session of this id, whether it never existed or is another's."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_SESSION_NOT_FOUND"

    @classmethod
    def of(cls, session_id: str) -> SessionNotFound:
        """Return the error for a session."""
        text = f"no session {session_id}; leave session_id empty to open a new one"
        return cls(text, metadata={"session_id": session_id})


class AnswerNotFound(AppError):
    """The caller has no answer of this id, or it is past its retention."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_ANSWER_NOT_FOUND"


class AnswerUnfinished(AppError):
    """The answer is not whole yet."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_FAILED_PRECONDITION"


class RequestIdReused(AppError):
    """The request id stands for another request."""

    kind = Kind.CONFLICT
    reason = "ERROR_REASON_REQUEST_ID_REUSED"
