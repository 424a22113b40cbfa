"""Deadline propagation: the remaining time of the served call bounds every call made for it."""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from common.core.errors import DeadlineExceeded

if TYPE_CHECKING:
    from contextvars import Context

_deadline: ContextVar[float | None] = ContextVar("cgrag_deadline", default=None)


class HasDeadline(Protocol):
    """A servicer context, as far as deadlines go."""

    def time_remaining(self) -> float | None:
        """Return the seconds left, None without a deadline."""
        ...


def start_deadline(seconds: float) -> None:
    """Set the deadline of this task, and of tasks that it starts, to `seconds` from now."""
    _deadline.set(time.monotonic() + seconds)


def extend_deadline(work: Context) -> None:
    """Extend the deadline in the context of another call's work to this call's deadline, if that is later."""
    mine, its = _deadline.get(), work.get(_deadline)
    if its is not None and (mine is None or mine > its):
        work.run(_deadline.set, mine)


def remaining(context: HasDeadline | None = None) -> float | None:
    """
    Return the seconds left for the call that is being served.

    Args:
        context: Its servicer context; None takes the call that the running task belongs to, where the server's
            default deadline is counted too.

    Returns:
        Seconds, at least 0; None if there is no deadline.
    """
    if context is not None:
        left = context.time_remaining()
    else:
        deadline = _deadline.get()
        left = None if deadline is None else deadline - time.monotonic()
    return None if left is None else max(0.0, left)


def child_timeout(cap_seconds: float, reserve_seconds: float = 0.05, *, share: float = 1.0) -> float:
    """
    Return the timeout for a call made on behalf of the one being served: min(cap, share of remaining - reserve).

    Args:
        cap_seconds: Longest that this kind of call may take.
        reserve_seconds: Kept for our own work after the answer.
        share: Greatest share of the remaining time that the call may take; less than 1 if its answer is optional.

    Raises:
        DeadlineExceeded: if nothing would be left.
    """
    left = remaining()
    if left is None:
        return cap_seconds
    if left <= reserve_seconds:
        raise DeadlineExceeded("no time is left for a further call; allow a longer deadline")
    return min(cap_seconds, (left - reserve_seconds) * share)
