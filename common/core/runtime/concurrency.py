"""
Tasks, threads and cancellation: what asyncio leaves to its callers.

A thread cannot be cancelled. So work in a thread checks, at points where it can stop, whether its call has ended
(`raise_if_cancelled`). A task that is cancelled while it waits for a thread either has the thread's result released
(`acquire_in_thread`) or waits for the thread (`run_to_completion`).
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from common.core.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


class CancellationToken:
    """Flag that is shared by a call and the work done for it; set when the call has ended."""

    __slots__ = ("is_cancelled",)

    def __init__(self) -> None:
        self.is_cancelled = False


_token: ContextVar[CancellationToken | None] = ContextVar("cgrag_cancellation", default=None)


def start_token() -> CancellationToken:
    """Set a token for the rest of this task and its threads; the owner of the call cancels it at the end."""
    token = CancellationToken()
    _token.set(token)
    return token


def raise_if_cancelled() -> None:
    """Raise Cancelled if the call that this work belongs to has ended; the error reaches no caller."""
    token = _token.get()
    if token is not None and token.is_cancelled:
        raise Cancelled("the call that this was done for has ended")


@contextmanager
def detached_from_call() -> Iterator[None]:
    """Run work that later calls share, such as filling a cache, detached from the call, which may be cancelled."""
    reset = _token.set(None)
    try:
        yield
    finally:
        _token.reset(reset)


async def wait_for_both(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """
    Return the results of two awaitables that run at the same time.

    Waits for both even if one fails, since their resources may be closed afterwards. The first error has priority.
    """
    one, other = await asyncio.gather(first, second, return_exceptions=True)
    if isinstance(one, BaseException):
        raise one
    if isinstance(other, BaseException):
        raise other
    return one, other


async def acquire_in_thread(acquire: Callable[[], T], release: Callable[[T], object]) -> T:
    """
    Return what a thread acquires.

    If the caller is cancelled meanwhile, the thread goes on, and what it acquired is released on the event loop.
    """
    return await acquire_shielded(asyncio.to_thread(acquire), release)


async def acquire_shielded(acquire: Coroutine[Any, Any, T], release: Callable[[T], object]) -> T:
    """Return what a coroutine acquires. If the caller is cancelled, the coroutine finishes; its result is released."""

    def release_unused(done: asyncio.Task[T]) -> None:
        if not done.cancelled() and done.exception() is None:
            release(done.result())

    acquiring = asyncio.create_task(acquire)
    try:
        return await asyncio.shield(acquiring)
    except asyncio.CancelledError:
        acquiring.add_done_callback(release_unused)
        raise


async def run_to_completion(work: Callable[[], T]) -> T:
    """
    Return the result of work in a thread.

    A caller that is cancelled meanwhile, even twice, waits for the thread and is cancelled then: what the caller holds,
    such as a lock, is held for as long as the work goes on.
    """
    working = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        while not working.done():
            # The end of a task group, or of a server, may cancel a caller that is already cancelled.
            with suppress(asyncio.CancelledError):
                await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # no caller is left to receive the error
        raise
