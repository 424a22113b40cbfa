"""An event loop in a thread of its own, for callers in other threads: only on a loop can a call be broken off."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


class Closed(Exception):
    """The loop was closed before the work was done."""


class LoopThread:
    """
    Runs coroutines for threads that wait for them. The thread begins with the first one, and ends with `close`, or when
    nobody has this any more.

    Args:
        name: Of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what a coroutine returns, or raise what it raises; Closed if this was or is closed before."""
        with self._lock:
            if self._is_closed:
                raise Closed
            future = asyncio.run_coroutine_threadsafe(work(), self._running())
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Closed from None

    def close(self, last: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """Break off what still runs, run one thing more, and end the thread; a second time is fine."""
        with self._lock:
            self._is_closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(_break_off(last), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
            self._thread.start()
            weakref.finalize(self, _stop, self._loop).atexit = False
        return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    with suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(loop.stop)


async def _break_off(last: Callable[[], Coroutine[Any, Any, None]] | None) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if last is not None:
        await last()
