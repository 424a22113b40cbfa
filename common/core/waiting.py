"""Waiting for work that goes on side by side, and for threads, which cannot be cancelled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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

    def unseen(done: asyncio.Task[T]) -> None:
        if not done.cancelled() and done.exception() is None:
            give_back(done.result())

    taking = asyncio.create_task(asyncio.to_thread(take))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(unseen)
        raise
