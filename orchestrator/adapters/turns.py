"""Runs work that would block the event loop in a few threads, scheduled fairly among callers."""

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
# Threads share one interpreter: more of them at once only delay each other and the event loop.
_AT_ONCE = 2


class Turns:
    """Runs work of answers in threads; work of callers with few answers is not delayed by a caller with many."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        self._limiter = ConcurrencyLimiter([_HERE], at_once)

    def require_capacity(self, characters: int) -> None:
        """Raise Overloaded if an answer to a question of this length would not be scheduled in time."""
        effort = Effort(current_caller().share)
        effort.expect(characters)
        self._limiter.require_capacity(effort, remaining())

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """
        Run work in a thread and return its result. If cancelled, this ends at once; the thread runs to its end.

        Raises:
            Overloaded: if the work would not be scheduled before the deadline of the call being served.
            DeadlineExceeded: if that deadline has passed.
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
                task.exception()  # marks the error as retrieved: the caller may be gone

        working.add_done_callback(done)
        return await asyncio.shield(working)

    async def _turn(self, effort: Effort) -> None:
        while True:
            try:
                await self._limiter.acquire([_HERE], remaining(), effort)
            except TimeoutError:
                # A reader with a later deadline may have extended that of the answer meanwhile.
                if not remaining():
                    raise DeadlineExceeded("its turn did not come in time; allow a longer deadline") from None
            else:
                return
