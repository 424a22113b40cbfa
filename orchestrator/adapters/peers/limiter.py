"""Limits concurrent calls per address; waiters are served by fair scheduling, small requests first."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakSet

from common.core.errors import Overloaded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orchestrator.adapters.effort import Effort

# One in this many slots goes to the longest waiter, so that small requests cannot starve a large one.
_LONGEST_WAITING_EVERY = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A call that waits for a slot at one of some addresses until a time; a lower rank goes first."""

    addresses: frozenset[str]
    effort: Effort
    rank: tuple[int, int]
    until: float
    given: asyncio.Future[str]


class ConcurrencyLimiter:
    """
    Counts running calls per address, on one event loop.

    A free slot goes to the caller with the fewest running calls, so that one caller cannot block the others; among
    those to the smallest request, so that a small answer is not delayed by large ones; then to the request that began
    first. A call that could not get a slot in time is refused early.

    Args:
        addresses: Addresses that are called.
        at_once: Calls that run at each address.
        now: Seconds of a monotonic clock.
    """

    def __init__(self, addresses: Sequence[str], at_once: int, now: Callable[[], float] = time.monotonic) -> None:
        self._free = dict.fromkeys(addresses, at_once)
        self._queue: list[_Waiting] = []
        self._running: Counter[str] = Counter()
        self._given = 0
        self._now = now
        self._pace = _Pace(now)

    async def acquire(self, preferred: Sequence[str], seconds: float | None, effort: Effort) -> str:
        """
        Take a slot, until `release`: at the first address with a free one, or at the one that has one first.

        Args:
            preferred: Addresses that serve the call, best first; not empty.
            seconds: Longest wait; None for any.
            effort: The request that the call belongs to.

        Raises:
            Overloaded: as soon as the calls before it are known to take longer than `seconds`.
            TimeoutError: if no slot was free in time.
        """
        for address in preferred:
            if self._free[address]:
                self._free[address] -= 1
                self._running[effort.whose] += 1
                return address
        waiting = self._wait(preferred, math.inf if seconds is None else seconds, effort)
        try:
            async with asyncio.timeout(seconds):
                return await waiting.given
        except BaseException:
            if waiting in self._queue:
                self._queue.remove(waiting)
            elif not waiting.given.cancelled() and waiting.given.exception() is None:
                self.release(waiting.given.result(), effort)  # the slot arrived when its waiter was being cancelled
            raise

    def release(self, address: str, effort: Effort) -> None:
        """End a call and give its slot to the next waiter for this address."""
        self._running[effort.whose] -= 1
        if not self._running[effort.whose]:
            del self._running[effort.whose]
        following = self._next(address)
        if following is None:
            self._free[address] += 1
            return
        self._queue.remove(following)
        self._pace.given(following.effort)
        self._running[following.effort.whose] += 1
        following.given.set_result(address)
        self._refuse_last_if_late()

    def _wait(self, preferred: Sequence[str], seconds: float, effort: Effort) -> _Waiting:
        if not self._queue:
            self._pace.begin()
        given: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(frozenset(preferred), effort, _rank(effort), self._now() + seconds, given)
        self._queue.append(waiting)
        self._refuse_last_if_late()
        return waiting

    def require_capacity(self, effort: Effort, seconds: float | None) -> None:
        """Raise Overloaded if the expected wait for a slot exceeds the remaining seconds."""
        place = self._running[effort.whose], _rank(effort)
        before = sum(self._place(each) < place for each in self._queue)
        wait = before * self._pace.seconds_each()
        if seconds is not None and wait > seconds:
            raise _overloaded(before, wait)

    def _next(self, address: str) -> _Waiting | None:
        fitting = (each for each in self._queue if address in each.addresses and not each.given.done())
        self._given += 1
        # Of equal ones the first: the queue is in order of arrival.
        if self._given % _LONGEST_WAITING_EVERY == 0:
            return min(fitting, key=lambda each: self._running[each.effort.whose], default=None)
        return min(fitting, key=self._place, default=None)

    def _place(self, waiting: _Waiting) -> tuple[int, tuple[int, int]]:
        return self._running[waiting.effort.whose], waiting.rank

    def _refuse_last_if_late(self) -> None:
        """Refuse the last waiter if the calls before it take longer than its time."""
        last = max(self._queue, key=self._place, default=None)
        if last is None or last.given.done():
            return
        before = len(self._queue) - 1
        wait = before * self._pace.seconds_each()
        if wait and self._now() + wait > last.until:
            self._queue.remove(last)
            last.given.set_exception(_overloaded(before, wait))


def _rank(effort: Effort) -> tuple[int, int]:
    return effort.size, effort.number


def _overloaded(before: int, seconds: float) -> Overloaded:
    again = math.ceil(seconds)
    text = f"{before} requests are queued before this one, for about {again} s; try again then"
    return Overloaded(text, retry_after_seconds=again)


class _Pace:
    """Rate at which waiting work got slots, since the queue was last empty."""

    # Fewer samples prove nothing: the first calls may include one-time setup.
    _FEW = 8
    _MANY = 128

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since = now()
        self._begun = 0
        self._known: WeakSet[Effort] = WeakSet()

    def begin(self) -> None:
        """Reset the order; no call is waiting."""
        self._since, self._begun = self._now(), 0

    def given(self, effort: Effort) -> None:
        """Count work at its first slot; older samples have less weight."""
        if effort in self._known:
            return
        self._known.add(effort)
        self._begun += 1
        if self._begun == self._MANY:
            self._since += (self._now() - self._since) / 2
            self._begun //= 2

    def seconds_each(self) -> float:
        """Return the seconds between two slots; 0 if unknown."""
        return (self._now() - self._since) / self._begun if self._begun >= self._FEW else 0.0
