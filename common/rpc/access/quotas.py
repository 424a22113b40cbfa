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
        Count a call that lasts so long at most, and return its ticket.

        Raises:
            QuotaExceeded: if it is one too many; then it is not counted.
            DependencyUnavailable: if nobody can tell.
        """
        ...

    async def end(self, name: str, ticket: str) -> None:
        """Count a call no more among those at once. Raises DependencyUnavailable."""
        ...


@dataclass(slots=True)
class _Use:
    """How much is left of a minute's calls, when that was, and how many calls run."""

    left: float
    at: float
    running: int = 0


class OwnCounts:
    """
    Implements `Counts` for this process; time is the monotonic clock's.

    A bucket of tokens for each: it holds a minute's calls, so that many may come at once after a pause.
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
        """Count a call no more."""
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
    Holds callers to what they may use.

    Args:
        clock: Fills the buckets, and tells when the day ends.
        spending: What models have cost; None where no model is paid for.
        shared: Counts for all replicas; while it does not answer, and where there is none, this process counts.
    """

    def __init__(self, clock: Clock, spending: Spending | None = None, shared: Counts | None = None) -> None:
        self._clock = clock
        self._spending = spending
        self._own = OwnCounts(clock)
        self._shared = shared
        self._sharing = Sharing(clock, "calls")
        self._unended: set[tuple[str, str]] = set()
        """Names and tickets of calls that are over, of which the server has not been told."""

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
        """Require that a caller has not spent what it may in a day; a call that began may exceed it. QuotaExceeded."""
        limit = entry.quotas.usd_per_day
        if not limit or self._spending is None or await self._spending.today(entry.name) < limit:
            return
        now = self._clock.now()
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
        text = f"{entry.name} has spent the {limit:g} US dollars of today; go on after midnight UTC"
        wait = (midnight - now).total_seconds()
        raise QuotaExceeded(text, metadata={"quota": "usd_per_day"}, retry_after_seconds=wait)

    async def _begin(self, name: str, quotas: Quotas) -> Callable[[], Awaitable[None]]:
        """Count a call, and return what ends that."""
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

            # The server has counted the call of a caller that left meanwhile, and is told that it is over.
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
    """Return the error of a caller that has as many calls running as it may."""
    text = f"{name} has {running} calls running, as many as it may; wait for one to end"
    return QuotaExceeded(text, metadata={"quota": "calls_at_once"}, retry_after_seconds=_BUSY_SECONDS)


def too_often(name: str, per_minute: int, wait_seconds: float) -> QuotaExceeded:
    """Return the error of a caller that has begun as many calls as it may."""
    text = f"{name} has made its {per_minute} requests of the last minute; try again in {wait_seconds:.1f} s"
    return QuotaExceeded(text, metadata={"quota": "requests_per_minute"}, retry_after_seconds=wait_seconds)
