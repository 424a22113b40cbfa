"""Errors of the orchestrator, in addition to those of `common`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.errors import AppError, DependencyUnavailable, Kind

if TYPE_CHECKING:
    from orchestrator.domain.answers.orders import Pin


class StorageFull(DependencyUnavailable):
    """The disk of a store is full; stored data can still be read."""

    kind = Kind.OVERLOADED
    reason = "ERROR_REASON_STORAGE_FULL"


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

    @classmethod
    def of(cls, answer_id: str) -> AnswerNotFound:
        """Return the error for an answer."""
        text = f"no answer {answer_id}; it may be past its retention: ask again"
        return cls(text, metadata={"answer_id": answer_id})


class HoldLost(Exception):
    """Another process has taken over the answer; writes of this process are refused. No caller gets this error."""


class AnswerUnfinished(AppError):
    """The answer is not complete yet."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_FAILED_PRECONDITION"


class SnapshotGone(AppError):
    """The snapshot that an answer read is not stored any more."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_SNAPSHOT_NOT_FOUND"

    @classmethod
    def of(cls, answer_id: str, pin: Pin) -> SnapshotGone:
        """Return the error for an answer and what it read."""
        text = f"answer {answer_id} read snapshot {pin.snapshot_id} of {pin.repository}, which is not kept any more"
        metadata = {"answer_id": answer_id, "repository": pin.repository, "snapshot_id": pin.snapshot_id}
        return cls(f"{text}; ask again and replay that one", metadata=metadata)


class RequestIdReused(AppError):
    """The request id was used for another request."""

    kind = Kind.CONFLICT
    reason = "ERROR_REASON_REQUEST_ID_REUSED"
