"""Waiting for threads that cannot be cancelled."""

from __future__ import annotations

import asyncio
import threading

import pytest

from common.core.runtime.concurrency import acquire_in_thread, acquire_shielded, run_to_completion


async def test_what_is_taken_is_returned() -> None:
    """A caller that waits to the end keeps what it has taken."""
    given_back: list[int] = []

    assert await acquire_in_thread(lambda: 7, given_back.append) == 7
    assert given_back == []


async def test_what_a_cancelled_caller_took_is_given_back() -> None:
    """The thread goes on: what it takes after the caller has left goes back, and only then."""
    may_take, given_back = threading.Event(), asyncio.Queue[int]()

    def take() -> int:
        may_take.wait()
        return 7

    caller = asyncio.create_task(acquire_in_thread(take, given_back.put_nowait))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    early = given_back.empty()
    may_take.set()
    returned = await asyncio.wait_for(given_back.get(), 10)

    assert early
    assert returned == 7


async def test_what_failed_is_not_given_back() -> None:
    """An error reaches the caller; without one it is dropped, since nothing was taken."""
    may_fail, given_back = threading.Event(), list[int]()

    def fail() -> int:
        may_fail.wait()
        raise OSError("none left")

    cancelled, waiting = (asyncio.create_task(acquire_in_thread(fail, given_back.append)) for _ in range(2))
    await asyncio.sleep(0)
    cancelled.cancel()
    may_fail.set()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    with pytest.raises(OSError, match="none left"):
        await waiting

    assert given_back == []


async def test_what_a_server_gave_a_cancelled_caller_is_given_back() -> None:
    """A coroutine goes on, too, once it has asked."""
    answered, given_back = asyncio.Event(), asyncio.Queue[int]()

    async def take() -> int:
        await answered.wait()
        return 7

    caller = asyncio.create_task(acquire_shielded(take(), given_back.put_nowait))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    answered.set()

    assert await asyncio.wait_for(given_back.get(), 10) == 7


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("fails", [False, True])
async def test_a_cancelled_caller_waits_for_its_thread(fails: bool, times: int) -> None:
    """What it holds is held until then, however often it is cancelled; how the thread ended is nobody's concern."""
    may_end, ended = threading.Event(), threading.Event()

    def work() -> None:
        may_end.wait()
        ended.set()
        if fails:
            raise OSError("too late")

    caller = asyncio.create_task(run_to_completion(work))
    await asyncio.sleep(0)
    for _ in range(times):
        caller.cancel()
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    early = caller.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller

    assert not early
    assert ended.is_set()
