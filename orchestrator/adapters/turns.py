"""Threads for what would keep the event loop waiting: few compute at once, and callers take turns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from common.rpc.callers import current_caller
from orchestrator.adapters.rooms import Rooms

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
        self._rooms = Rooms([_HERE], at_once)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what work comes to. A caller that leaves does so at once; its thread keeps its turn to its end."""
        whose = current_caller().share
        await self._rooms.take([_HERE], None, whose)
        working = asyncio.create_task(asyncio.to_thread(work, *args, **kwargs))

        def done(task: asyncio.Task[T]) -> None:
            self._rooms.give_back(_HERE, whose)
            if not task.cancelled():
                task.exception()  # nobody may be left to be told

        working.add_done_callback(done)
        return await asyncio.shield(working)
