"""A circuit breaker: after repeated failures requests are refused for a while, then one probe is let through."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from common.core.clock import Clock

T = TypeVar("T")


class BreakerState(Enum):
    """The states; values are those of the metrics that show them."""

    CLOSED = 0
    HALF_OPEN = 1
    OPEN = 2


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """
    When a breaker opens, and for how long.

    Args:
        failures: Consecutive failures after which it opens.
        open_seconds: Time until one request may probe.
    """

    failures: int = 5
    open_seconds: float = 30.0


class CircuitOpen(Exception):
    """
    Raised while the breaker is open. Callers translate it into their own error.

    Args:
        what: Name of the dependency that failed.
        failures: Consecutive failures.
        wait_seconds: Time until the next probe, at least 1.
    """

    def __init__(self, what: str, failures: int, wait_seconds: float) -> None:
        times = "once" if failures == 1 else f"{failures} times in a row"
        self.message = f"{what} failed {times}; it is tried again in {wait_seconds:.0f} s"
        super().__init__(self.message)
        self.wait_seconds = wait_seconds


class CircuitBreaker:
    """
    Counts consecutive failures. Use it on one event loop, or under one lock.

    Every `admit` that returns is followed by exactly one of `succeeded`, `failed` and `abandoned`.

    Args:
        policy: When it opens, and for how long.
        clock: Its monotonic time.
        what: Name of the dependency, for the message.
    """

    def __init__(self, policy: BreakerPolicy, clock: Clock, what: str) -> None:
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
        """Admit a request; raise CircuitOpen while the breaker is open or another request probes."""
        state = self.state
        if state is BreakerState.OPEN:
            raise CircuitOpen(self._what, self._failures, max(self._left(), 1.0))
        self._probing = state is BreakerState.HALF_OPEN

    def succeeded(self) -> None:
        """Record a success and close the breaker."""
        self._failures = 0
        self._opened_at = None
        self._probing = False

    def failed(self) -> None:
        """Record a failure."""
        self._failures += 1
        if self._probing or self._failures >= self._policy.failures:
            self._opened_at = self._clock.monotonic()
        self._probing = False

    def abandoned(self) -> None:
        """Record a request that proves nothing about the dependency: it was cancelled, or was wrong itself."""
        self._probing = False

    def _left(self) -> float:
        opened = self._clock.monotonic() if self._opened_at is None else self._opened_at
        return opened + self._policy.open_seconds - self._clock.monotonic()


class Dependency:
    """
    An optional service or store behind a circuit breaker: if it hangs, only few calls wait for it.

    Args:
        what: Name for the message: "the classifier".
        policy: When its breaker opens, and for how long.
        clock: Its monotonic time.
        shown: Called with the state of the breaker after each request.
    """

    def __init__(
        self, what: str, policy: BreakerPolicy, clock: Clock, shown: Callable[[BreakerState], None] = lambda _: None
    ) -> None:
        self._breaker = CircuitBreaker(policy, clock, what)
        self._shown = shown

    async def ask(self, work: Callable[[], Awaitable[T]]) -> T:
        """
        Return what `work` returns.

        Raises:
            DependencyUnavailable: if it does not answer; at once while the breaker is open.
            DeadlineExceeded: if the deadline was too short to tell whether it is healthy.
            AppError: what else `work` raises; counts as an answer.
        """
        try:
            self._breaker.admit()
        except CircuitOpen as left:
            raise DependencyUnavailable(left.message, retry_after_seconds=left.wait_seconds) from None
        tell = self._breaker.abandoned
        try:
            found = await work()
            tell = self._breaker.succeeded
            return found
        except DependencyUnavailable:
            tell = self._breaker.failed
            raise
        except DeadlineExceeded:
            raise
        except AppError:
            tell = self._breaker.succeeded
            raise
        finally:
            tell()
            self._shown(self._breaker.state)
