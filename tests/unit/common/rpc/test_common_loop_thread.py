"""A loop in a thread of its own: what is waited for ends with it, and it ends with its owner."""

from __future__ import annotations

import asyncio
import gc
import threading
from contextlib import nullcontext, suppress

import pytest

from common.core.runtime.loop_thread import Closed, LoopThread


def thread_of(name: str) -> threading.Thread | None:
    """Return the thread of that name, if it lives."""
    return next((each for each in threading.enumerate() if each.name == name), None)


async def text() -> str:
    """Return something."""
    await asyncio.sleep(0)
    return "done"


async def failing() -> str:
    """Raise something."""
    raise KeyError("no")


def test_what_comes_back_is_what_the_work_gives() -> None:
    """Or raises; nothing runs before the first work."""
    loop = LoopThread("of-results")
    assert thread_of("of-results") is None

    assert loop.run(text) == "done"
    with pytest.raises(KeyError):
        loop.run(failing)
    loop.close()
    assert thread_of("of-results") is None


def test_closing_wakes_who_waits_and_takes_no_more_work() -> None:
    """A second time is fine, and so is closing what never ran."""
    loop, begun, ended = LoopThread("of-waiting"), threading.Event(), list[str]()

    async def endless() -> None:
        begun.set()
        await asyncio.Event().wait()

    def wait() -> None:
        with pytest.raises(Closed):
            loop.run(endless)
        ended.append("woken")

    async def last() -> None:
        ended.append("last")

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(10)
    loop.close(last)
    loop.close(last)
    waiting.join(10)

    assert sorted(ended) == ["last", "woken"]
    with pytest.raises(Closed):
        loop.run(text)
    LoopThread("of-nothing").close(last)
    assert len(ended) == 2


@pytest.mark.parametrize("holds", [False, True], ids=["hears of no cancellation", "holds the thread"])
def test_closing_waits_for_nobody_who_does_not_end(holds: bool) -> None:
    """Who waits for such work is woken within seconds; the last thing is done where the thread is free."""
    loop, begun, free, ended = LoopThread("of-deaf"), threading.Event(), threading.Event(), list[str]()

    async def deaf() -> None:
        begun.set()
        while holds and not free.wait(30):
            pass
        while not holds:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    async def last() -> None:
        ended.append("last")

    def wait() -> None:
        with pytest.raises(Closed):
            loop.run(deaf)
        ended.append("woken")

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    assert begun.wait(10)
    closing = threading.Thread(target=loop.close, args=(last,), kwargs={"seconds": 0.05}, daemon=True)
    closing.start()
    closing.join(10)
    waiting.join(10)
    held, told = thread_of("of-deaf"), sorted(ended)
    free.set()

    assert told == (["woken"] if holds else ["last", "woken"])
    assert not closing.is_alive()
    assert (held is not None) == holds
    if held is not None:
        held.join(10)


@pytest.mark.parametrize("seconds", [0.05, 10.0])
def test_a_last_thing_that_hangs_is_left_alone(seconds: float) -> None:
    """One that fails says so."""
    loop = LoopThread("of-last")

    async def last() -> None:
        if seconds > 1:
            raise KeyError("no")
        await asyncio.Event().wait()

    loop.run(text)
    with pytest.raises(KeyError) if seconds > 1 else nullcontext():
        loop.close(last, seconds=seconds)
    assert thread_of("of-last") is None


def test_a_loop_that_nobody_has_any_more_ends() -> None:
    """Its descriptors would else be kept as long as the process lives."""
    loop = LoopThread("of-nobody")
    loop.run(text)
    thread = thread_of("of-nobody")
    del loop
    gc.collect()

    assert thread is not None
    thread.join(10)
    assert not thread.is_alive()
