"""An event loop in a thread of its own, for callers in other threads: unlike a thread, a task can be cancelled."""

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

CLOSE_SECONDS = 5.0
"""Time limit at closing for cancelled tasks to end, and again for the last coroutine."""


class Closed(Exception):
    """The loop was closed before the work was done."""


class LoopThread:
    """
    Runs coroutines for threads that wait for them. Its thread starts with the first one, and ends with `close`, or when
    the object is collected.

    Args:
        name: Name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._waited: set[concurrent.futures.Future[Any]] = set()

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what a coroutine returns, or raise what it raises; Closed if the loop is closed before it ends."""
        with self._lock:
            if self._is_closed:
                raise Closed
            future = asyncio.run_coroutine_threadsafe(work(), self._running())
            self._waited.add(future)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Closed from None
        finally:
            with self._lock:
                self._waited.discard(future)

    def close(
        self, last: Callable[[], Coroutine[Any, Any, None]] | None = None, *, seconds: float = CLOSE_SECONDS
    ) -> None:
        """
        Cancel all running tasks, run one last coroutine, and end the thread; a second call does nothing.

        Threads that wait for a result are woken in any case.

        Args:
            last: The last coroutine; its errors are raised. It does not run if a task blocks the loop.
            seconds: Time limit for cancelling, and for the last coroutine. A task that ignores its cancellation is left
                running.
        """
        with self._lock:
            self._is_closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        ending = asyncio.run_coroutine_threadsafe(self._break_off(last, seconds), loop)
        # The last coroutine has its own time limit, so the thread is never blocked for long.
        concurrent.futures.wait([ending], timeout=3 * seconds)
        if ending.done():
            thread.join(seconds)
            ending.result()
        else:
            self._wake()

    async def _break_off(self, last: Callable[[], Coroutine[Any, Any, None]] | None, seconds: float) -> None:
        try:
            await _cancel_all(seconds)
            self._wake()
            if last is not None:
                ending = asyncio.ensure_future(last())
                await asyncio.wait([ending], timeout=seconds)
                if ending.done():
                    ending.result()
        finally:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.stop)

    def _wake(self) -> None:
        """Wake the threads that still wait for a result, with Closed."""
        with self._lock:
            waited = tuple(self._waited)
        for future in waited:
            future.cancel()

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


async def _cancel_all(seconds: float) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        ended, _ = await asyncio.wait(tasks, timeout=seconds)
        await asyncio.gather(*ended, return_exceptions=True)  # the waiting thread receives what it raised
