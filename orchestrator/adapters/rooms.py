"""Room for calls at several addresses: who finds none waits for the first that has some again, in order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A call that any of some addresses would do for."""

    addresses: frozenset[str]
    given: asyncio.Future[str]


class Rooms:
    """
    Counts calls, on one event loop.

    Args:
        addresses: Where calls go.
        at_once: Calls that run at each address.
    """

    def __init__(self, addresses: Sequence[str], at_once: int) -> None:
        self._free = dict.fromkeys(addresses, at_once)
        self._queue: list[_Waiting] = []

    async def take(self, preferred: Sequence[str], seconds: float) -> str:
        """
        Return the first address that has room, or the one that has some first, for as long as the call runs.

        Args:
            preferred: Those that will do, the best one first; not empty.
            seconds: Longest wait.

        Raises:
            TimeoutError: if none had room in time.
        """
        for address in preferred:
            if self._free[address]:
                self._free[address] -= 1
                return address
        waiting = _Waiting(frozenset(preferred), asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        try:
            async with asyncio.timeout(seconds):
                return await waiting.given
        except BaseException:
            if waiting in self._queue:
                self._queue.remove(waiting)
            elif not waiting.given.cancelled():
                self.give_back(waiting.given.result())  # it came too late for who was just leaving
            raise

    def give_back(self, address: str) -> None:
        """End a call: whoever has waited longest for this address, among others, has its room."""
        for waiting in self._queue:
            if address in waiting.addresses and not waiting.given.done():
                self._queue.remove(waiting)
                waiting.given.set_result(address)
                return
        self._free[address] += 1
