"""What each caller's answers have cost today at all replicas, in a Valkey or Redis server that they share."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from common.rpc.access.sharing import Sharing
from common.stores.valkey import client_at, failures_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis.asyncio import Redis

    from common.core.clock import Clock
    from orchestrator.adapters.spending.sqlite import SqliteSpending

_SETTING = "session_store_url"
_TIMEOUT_SECONDS = 0.5
_KEPT_SECONDS = 2 * 86_400


class ValkeySpending:
    """
    Implements `Spending` of the kit for all replicas; while the server is unavailable, only this replica's costs count.

    Args:
        own: Spending at this replica, which is always counted, too.
        client: Client of the server, which decodes responses to text.
        clock: Gives the UTC day.
        caller: Returns the caller whose answer is being made.
    """

    def __init__(self, own: SqliteSpending, client: Redis, clock: Clock, caller: Callable[[], str]) -> None:
        self._own = own
        self._client = client
        self._clock = clock
        self._caller = caller
        self._sharing = Sharing(clock, "cost")
        self._owed: dict[str, float] = {}
        self._paying: set[asyncio.Task[None]] = set()

    @classmethod
    def at(cls, url: str, own: SqliteSpending, clock: Clock, caller: Callable[[], str]) -> ValkeySpending:
        """Return the store of spending at a URL, without connecting yet. Raises StartupError."""
        return cls(own, client_at(url, _SETTING, timeout_seconds=_TIMEOUT_SECONDS), clock, caller)

    def add(self, usd: float) -> None:
        """Add the cost of a request to a model to the current caller's spending."""
        self._own.add(usd)
        if usd <= 0:
            return
        self._owe(self._key(self._caller()), usd)
        self._begin_paying()

    async def today(self, caller: str) -> float:
        """Return a caller's spending since midnight UTC."""
        own, key = await self._own.today(caller), self._key(caller)
        if self._owed:
            self._begin_paying()
        if self._paying:
            # Amounts being written are neither pending nor surely on the server; a cancelled wait does not stop them.
            await asyncio.wait(tuple(self._paying))
        shared = await self._sharing.ask(lambda: self._read(key))
        return max(own, (shared or 0.0) + self._owed.get(key, 0.0))

    async def close(self) -> None:
        """Write what is pending, then close the connections."""
        await asyncio.gather(*self._paying)
        await self._client.aclose()

    def _begin_paying(self) -> None:
        task = asyncio.create_task(self._pay())
        self._paying.add(task)
        task.add_done_callback(self._paying.discard)

    async def _pay(self) -> None:
        """Write the pending amounts to the server."""
        for key in sorted(self._owed):
            usd = self._owed.pop(key, 0.0)  # another task may be writing it
            if usd and await self._sharing.ask(partial(self._write, key, usd)) is None:
                self._owe(key, usd)

    def _owe(self, key: str, usd: float) -> None:
        self._owed[key] = self._owed.get(key, 0.0) + usd

    async def _read(self, key: str) -> float:
        with failures_of("cost", _SETTING):
            return float(await self._client.get(key) or 0.0)

    async def _write(self, key: str, usd: float) -> float:
        with failures_of("cost", _SETTING):
            # In one transaction: else an amount could be added, then fail here, and be added again.
            async with self._client.pipeline(transaction=True) as both:
                both.incrbyfloat(key, usd)
                both.expire(key, _KEPT_SECONDS)
                spent, _ = await both.execute()
        return float(spent)

    def _key(self, caller: str) -> str:
        return f"cgrag:spent:{self._clock.now().date().isoformat()}:{caller}"
