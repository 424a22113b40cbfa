"""Room for calls at several addresses: who finds none waits for the first that has some again, in fair turns."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A call that any of some addresses would do for."""

    addresses: frozenset[str]
    whose: str
    given: asyncio.Future[str]


class Rooms:
    """
    Counts calls, on one event loop.

    Room goes to whoever has the fewest calls running, of those to who has waited longest: many calls of one caller let
    those of others pass.

    Args:
        addresses: Where calls go.
        at_once: Calls that run at each address.
    """

    def __init__(self, addresses: Sequence[str], at_once: int) -> None:
        self._free = dict.fromkeys(addresses, at_once)
        self._queue: list[_Waiting] = []
        self._running: Counter[str] = Counter()

    async def take(self, preferred: Sequence[str], seconds: float | None, whose: str = "") -> str:
        """
        Return the first address that has room, or the one that has some first, for as long as the call runs.

        Args:
            preferred: Those that will do, the best one first; not empty.
            seconds: Longest wait; None for any.
            whose: The call is.

        Raises:
            TimeoutError: if none had room in time.
        """
        for address in preferred:
            if self._free[address]:
                self._free[address] -= 1
                self._running[whose] += 1
                return address
        waiting = _Waiting(frozenset(preferred), whose, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        try:
            async with asyncio.timeout(seconds):
                return await waiting.given
        except BaseException:
            if waiting in self._queue:
                self._queue.remove(waiting)
            elif not waiting.given.cancelled():
                self.give_back(waiting.given.result(), whose)  # it came too late for who was just leaving
            raise

    def give_back(self, address: str, whose: str = "") -> None:
        """End somebody's call: whose turn it is at this address has its room."""
        self._running[whose] -= 1
        if not self._running[whose]:
            del self._running[whose]
        fitting = (each for each in self._queue if address in each.addresses and not each.given.done())
        # Of equals the first: the queue is in order.
        following = min(fitting, key=lambda each: self._running[each.whose], default=None)
        if following is None:
            self._free[address] += 1
            return
        self._queue.remove(following)
        self._running[following.whose] += 1
        following.given.set_result(address)
