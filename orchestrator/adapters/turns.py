"""Threads for what would keep the event loop waiting: few compute at once, and callers take turns."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from common.core.errors import DeadlineExceeded
from common.rpc.callers import current_caller
from common.rpc.client.deadlines import remaining
from orchestrator.adapters.effort import Effort, current_effort
from orchestrator.adapters.peers.limiter import ConcurrencyLimiter

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

_HERE = "here"
# They share one interpreter: more at once only make each other, and the event loop, wait.
_AT_ONCE = 2


class Turns:
    """Runs work of answers in threads; a caller with many answers lets those of others pass."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._limiter = ConcurrencyLimiter([_HERE], at_once)

    def require_capacity(self, characters: int) -> None:
        """Raise Overloaded if an answer to a question of this length would not be scheduled in time."""
        effort = Effort(current_caller().share)
        effort.expect(characters)
        self._limiter.require_capacity(effort, remaining())

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """
        Return what work comes to. A caller that leaves does so at once; its thread keeps its turn to its end.

        Raises:
            Overloaded: if the turn would not come within the time of the call being served.
            DeadlineExceeded: if that time is over.
        """
        effort = current_effort()
        await self._turn(effort)

        def timed() -> T:
            began = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                effort.taken_seconds += time.thread_time() - began

        working = asyncio.create_task(asyncio.to_thread(timed))

        def done(task: asyncio.Task[T]) -> None:
            self._limiter.release(_HERE, effort)
            if not task.cancelled():
                task.exception()  # the caller may be gone

        working.add_done_callback(done)
        return await asyncio.shield(working)

    async def _turn(self, effort: Effort) -> None:
        while True:
            try:
                await self._limiter.acquire([_HERE], remaining(), effort)
            except TimeoutError:
                # Somebody with more time may have come to follow the answer meanwhile.
                if not remaining():
                    raise DeadlineExceeded("its turn did not come in time; allow a longer deadline") from None
            else:
                return
