"""A loop in a thread of its own: what is waited for ends with it, and it ends with its owner."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from common.core.loop_thread import Closed, LoopThread


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
