"""Quotas of a caller: calls per minute, concurrent calls, and the cost of models per day."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol

from common.core.errors import QuotaExceeded
from common.core.runtime.concurrency import acquire_shielded
from common.rpc.access.sharing import Sharing
from common.rpc.client.deadlines import remaining

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from common.core.clock import Clock
    from common.rpc.access.file import Entry, Quotas

_BUSY_SECONDS = 1.0
_COUNTED_SECONDS = 600.0
"""Seconds after which shared counts stop counting a call as running."""


class Spending(Protocol):
    """Sums the cost of callers."""

    async def today(self, caller: str) -> float:
        """Return the US dollars that a caller's models have cost since midnight in UTC."""
        ...


class Counts(Protocol):
    """Counts the calls of callers."""

    async def begin(self, name: str, quotas: Quotas, seconds: float) -> str:
        """
        Count a call that runs for at most `seconds`, and return its ticket, with which `end` is called.

        Raises:
            QuotaExceeded: if the call would exceed a quota; then it is not counted.
            DependencyUnavailable: if the counts cannot be read.
        """
        ...

    async def end(self, name: str, ticket: str) -> None:
        """End a call: it no longer counts as running. Raises DependencyUnavailable."""
        ...


@dataclass(slots=True)
class _Use:
    """A caller's token bucket: calls left, the time at which that was computed, and the number of running calls."""

    left: float
    at: float
    running: int = 0


class OwnCounts:
    """
    Implements `Counts` for this process, by the monotonic clock.

    Each caller has a token bucket for the calls of one minute, so that after a pause it may begin as many at once.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._uses: dict[str, _Use] = {}

    async def begin(self, name: str, quotas: Quotas, seconds: float) -> str:  # noqa: ARG002 (the port's)
        """Count a call. Raises QuotaExceeded."""
        use = self._uses.get(name)
        if use is None:
            use = self._uses[name] = _Use(quotas.requests_per_minute, self._clock.monotonic())
        if quotas.calls_at_once and use.running >= quotas.calls_at_once:
            raise too_many(name, use.running)
        self._take(use, name, quotas.requests_per_minute)
        use.running += 1
        return name

    async def end(self, name: str, ticket: str) -> None:  # noqa: ARG002 (the port's)
        """End a call: it no longer counts as running."""
        self._uses[name].running -= 1

    def _take(self, use: _Use, name: str, per_minute: int) -> None:
        if not per_minute:
            return
        now = self._clock.monotonic()
        use.left = min(per_minute, use.left + (now - use.at) * per_minute / 60)
        use.at = now
        if use.left < 1:
            raise too_often(name, per_minute, (1 - use.left) * 60 / per_minute)
        use.left -= 1


class Meter:
    """
    Enforces the quotas of callers.

    Args:
        clock: Time for the token buckets and for the end of the day.
        spending: Sums what each caller's models have cost; None where no model is paid for.
        shared: Counts for all replicas; without it, or while it does not answer, this process counts by itself.
    """

    def __init__(self, clock: Clock, spending: Spending | None = None, shared: Counts | None = None) -> None:
        self._clock = clock
        self._spending = spending
        self._own = OwnCounts(clock)
        self._shared = shared
        self._sharing = Sharing(clock, "calls")
        self._unended: set[tuple[str, str]] = set()
        """Names and tickets of calls that have ended, but whose end is not yet recorded in the shared counts."""

    @asynccontextmanager
    async def call(self, entry: Entry) -> AsyncIterator[None]:
        """Count a call of a caller for as long as the block runs. Raises QuotaExceeded."""
        quotas = entry.quotas
        if not (quotas.requests_per_minute or quotas.calls_at_once):
            yield
            return
        end = await self._begin(entry.name, quotas)
        try:
            yield
        finally:
            await end()

    async def afford(self, entry: Entry) -> None:
        """Raise QuotaExceeded if a caller's cost of today has reached its quota; a running call may go beyond it."""
        limit = entry.quotas.usd_per_day
        if not limit or self._spending is None or await self._spending.today(entry.name) < limit:
            return
        now = self._clock.now()
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
        text = f"{entry.name} has spent the {limit:g} US dollars of today; go on after midnight UTC"
        wait = (midnight - now).total_seconds()
        raise QuotaExceeded(text, metadata={"quota": "usd_per_day"}, retry_after_seconds=wait)

    async def _begin(self, name: str, quotas: Quotas) -> Callable[[], Awaitable[None]]:
        """Count a call, and return a function that ends it."""
        left = remaining()
        seconds = _COUNTED_SECONDS if left is None else min(left, _COUNTED_SECONDS)
        shared = self._shared
        if shared is not None:

            async def begin() -> str:
                await self._end_all(shared)
                return await shared.begin(name, quotas, seconds)

            async def end(ticket: str) -> None:
                self._unended.add((name, ticket))
                await self._sharing.ask(partial(self._end_all, shared))

            # If the caller is cancelled while the server counts its call, the end of that call is recorded later.
            unseen = partial(self._leave, name)
            ticket = await self._sharing.ask(lambda: acquire_shielded(begin(), unseen))
            if ticket is not None:
                return partial(end, ticket)
        return partial(self._own.end, name, await self._own.begin(name, quotas, seconds))

    def _leave(self, name: str, ticket: str) -> None:
        self._unended.add((name, ticket))

    async def _end_all(self, shared: Counts) -> None:
        while self._unended:
            each = self._unended.pop()
            try:
                await shared.end(*each)
            except BaseException:
                self._unended.add(each)
                raise


def too_many(name: str, running: int) -> QuotaExceeded:
    """Return the error for a caller with as many running calls as its quota allows."""
    text = f"{name} has {running} calls running, as many as it may; wait for one to end"
    return QuotaExceeded(text, metadata={"quota": "calls_at_once"}, retry_after_seconds=_BUSY_SECONDS)


def too_often(name: str, per_minute: int, wait_seconds: float) -> QuotaExceeded:
    """Return the error for a caller that has begun as many calls in a minute as its quota allows."""
    text = f"{name} has made its {per_minute} requests of the last minute; try again in {wait_seconds:.1f} s"
    return QuotaExceeded(text, metadata={"quota": "requests_per_minute"}, retry_after_seconds=wait_seconds)
