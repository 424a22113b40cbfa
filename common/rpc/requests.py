"""Waits for the request messages of begun calls, with a bound on their number."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Never, TypeAlias

from common.core.errors import InvalidArgument, Overloaded
from common.rpc import status

if TYPE_CHECKING:
    from collections.abc import Callable

    import grpc

    from common.core.errors import AppError

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_GONE_SECONDS = 1.0


class Requests:
    """
    Reads the request of each call that has exactly one.

    gRPC begins a call when its headers have arrived, and its request may never follow: if more than `most` calls wait
    for their requests, the one that has waited longest is refused. Nothing else is done for a call before its request
    has arrived, so that a call that is cancelled at once costs little.

    Args:
        most: Greatest number of calls that wait for their requests.
        gave_way: Called for each call that is refused.
    """

    def __init__(self, most: int, gave_way: Callable[[], None] = lambda: None) -> None:
        self._most = most
        self._gave_way = gave_way
        self._waiting: dict[asyncio.Task[object], None] = {}

    async def take(self, context: Context) -> bytes:
        """Wait for the request of a call and return it, serialized; abort the call if none comes."""
        task = asyncio.current_task()
        assert task is not None, "gRPC runs each call in a task"
        self._waiting[task] = None
        if len(self._waiting) > self._most:
            self._end_longest()
        try:
            request = await context.read()
        except asyncio.CancelledError:
            if task in self._waiting:
                raise
            task.uncancel()
            self._gave_way()
            text = "the request did not come, and too many others were waited for; try again in 1 s"
            await _refuse(context, Overloaded(text, retry_after_seconds=1.0))
        finally:
            self._waiting.pop(task, None)
        if not isinstance(request, bytes):
            # The same is read if the caller has gone; then the call is cancelled during this sleep.
            await asyncio.sleep(_GONE_SECONDS)
            await _refuse(context, InvalidArgument("a call needs a request, be it an empty one"))
        return request

    def _end_longest(self) -> None:
        longest = next(iter(self._waiting))
        del self._waiting[longest]
        longest.cancel()


async def _refuse(context: Context, error: AppError) -> Never:
    answer = status.status_from_error(error)
    await context.abort(answer.code, answer.message, answer.metadata())
    raise error
