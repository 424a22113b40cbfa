"""Leaves a failing endpoint alone for a while, then lets one request find out whether it is well again."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from common.model.failures import Cause, ModelFailed

if TYPE_CHECKING:
    from common.core.clock import Clock
    from common.model.config import BreakerPolicy


class BreakerState(Enum):
    """The states; values are those of the metric `llm_breaker_state`."""

    CLOSED = 0
    HALF_OPEN = 1
    OPEN = 2


class CircuitBreaker:
    """
    Counts failures of one role's model. Belongs to one event loop, or to one lock.

    Every `admit` that returns is followed by exactly one of `succeeded`, `failed` and `abandoned`.

    Args:
        policy: When it opens, and for how long.
        clock: Its monotonic time.
        what: Is left alone; for the message.
    """

    def __init__(self, policy: BreakerPolicy, clock: Clock, what: str = "the model endpoint") -> None:
        self._what = what
        self._policy = policy
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> BreakerState:
        """Return the state at this moment."""
        if self._opened_at is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._probing or self._left() > 0 else BreakerState.HALF_OPEN

    def admit(self) -> None:
        """Let a request pass, or raise ModelFailed: while open, and while another one probes."""
        state = self.state
        if state is BreakerState.OPEN:
            wait = max(self._left(), 1.0)
            text = f"{self._what} failed {self._failures} times in a row; it is tried again in {wait:.0f} s"
            raise ModelFailed(Cause.BREAKER_OPEN, text, retry_after_seconds=wait)
        self._probing = state is BreakerState.HALF_OPEN

    def succeeded(self) -> None:
        """Note that the endpoint is well."""
        self._failures = 0
        self._opened_at = None
        self._probing = False

    def failed(self) -> None:
        """Note that the endpoint failed."""
        self._failures += 1
        if self._probing or self._failures >= self._policy.failures:
            self._opened_at = self._clock.monotonic()
        self._probing = False

    def abandoned(self) -> None:
        """Note that a request ended in a way that says nothing of the endpoint: cancelled, or wrong itself."""
        self._probing = False

    def _left(self) -> float:
        opened = self._clock.monotonic() if self._opened_at is None else self._opened_at
        return opened + self._policy.open_seconds - self._clock.monotonic()
