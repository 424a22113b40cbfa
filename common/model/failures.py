"""Failures of model endpoints and their causes."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from common.core.errors import ModelUnavailable

if TYPE_CHECKING:
    from common.core.runtime.breaker import CircuitOpen


class Cause(Enum):
    """The kinds of failure; values are labels of metrics."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    INTERRUPTED = "interrupted"
    UNUSABLE = "unusable"
    REJECTED = "rejected"
    UNAUTHORIZED = "unauthorized"
    BREAKER_OPEN = "breaker_open"
    NOT_CONFIGURED = "not_configured"

    @classmethod
    def of_status(cls, status: int) -> Cause:
        """Return the cause for an HTTP error status."""
        return _BY_STATUS.get(status, cls.SERVER_ERROR if status >= _FIRST_SERVER_ERROR else cls.REJECTED)


_FIRST_SERVER_ERROR = 500
_BY_STATUS = {
    401: Cause.UNAUTHORIZED,
    403: Cause.UNAUTHORIZED,
    408: Cause.TIMEOUT,
    429: Cause.RATE_LIMITED,
    503: Cause.OVERLOADED,
    529: Cause.OVERLOADED,
}


_RETRYABLE = frozenset(
    {
        Cause.RATE_LIMITED,
        Cause.OVERLOADED,
        Cause.SERVER_ERROR,
        Cause.UNREACHABLE,
        Cause.TIMEOUT,
        Cause.MALFORMED,
        Cause.INTERRUPTED,
        Cause.UNUSABLE,
    }
)
# A rate limit and a malformed answer do not count as failures of the endpoint.
_SICK = _RETRYABLE - {Cause.RATE_LIMITED, Cause.UNUSABLE}


class ModelFailed(ModelUnavailable):
    """
    A model endpoint refused or failed.

    Args:
        cause: Kind of failure.
        message: For a person; without the prompt, the key and the endpoint's own text.
        retry_after_seconds: Wait that the endpoint asked for; None if it named none.
    """

    def __init__(self, cause: Cause, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message, metadata={"cause": cause.value}, retry_after_seconds=retry_after_seconds)
        self.cause = cause

    @classmethod
    def circuit_open(cls, error: CircuitOpen) -> ModelFailed:
        """Return the failure for an open circuit breaker."""
        return cls(Cause.BREAKER_OPEN, error.message, retry_after_seconds=error.wait_seconds)

    @classmethod
    def broken_off(cls, cause: Cause) -> ModelFailed:
        """Return the failure of a model endpoint that fails in mid-stream: an error event within its answer."""
        return cls(cause, f"the model endpoint broke off ({cause.value})")

    @property
    def is_retryable(self) -> bool:
        """Return whether the same request may succeed later."""
        return self.cause in _RETRYABLE

    @property
    def is_sickness(self) -> bool:
        """Return whether the circuit breaker of the endpoint counts the failure."""
        return self.cause in _SICK
