"""Waiting for work that goes on side by side, and for what cannot be called off, such as a thread."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


async def both(first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
    """
    Return what two awaitables give, run at the same time.

    Both are waited for even if one fails: what they work on may be closed then. The first one's error goes first.
    """
    one, other = await asyncio.gather(first, second, return_exceptions=True)
    if isinstance(one, BaseException):
        raise one
    if isinstance(other, BaseException):
        raise other
    return one, other


async def taken(take: Callable[[], T], give_back: Callable[[T], object]) -> T:
    """
    Return what is taken in a thread.

    A caller that is cancelled meanwhile never sees it: once the thread has it, it is given back, on the event loop.
    """
    return await taken_by(asyncio.to_thread(take), give_back)


async def taken_by(take: Coroutine[Any, Any, T], give_back: Callable[[T], object]) -> T:
    """Return what a coroutine takes, which goes on, and gives back what it has taken, if the caller is cancelled."""

    def unseen(done: asyncio.Task[T]) -> None:
        if not done.cancelled() and done.exception() is None:
            give_back(done.result())

    taking = asyncio.create_task(take)
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(unseen)
        raise


async def to_its_end(work: Callable[[], T]) -> T:
    """
    Return what a thread comes to.

    A caller that is cancelled meanwhile, be it twice, is so when the thread has ended, and not before: what the caller
    holds, such as a lock, is held for as long as the work goes on.
    """
    working = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        while not working.done():
            # The end of a group of tasks, or of a server, may cancel a caller that already is.
            with suppress(asyncio.CancelledError):
                await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # nobody is left to be told
        raise
