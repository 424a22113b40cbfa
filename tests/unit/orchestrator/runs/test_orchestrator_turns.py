"""What answers compute: few at once, callers in turn."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from common.core.errors import Overloaded
from common.rpc.callers import Caller, set_caller
from common.rpc.client.deadlines import start_deadline
from orchestrator.adapters.effort import current_effort
from orchestrator.adapters.turns import Turns
from tests.fakes.answering import eventually


class Work:
    """Work that goes on until it may end, and remembers whose began."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.may_end = threading.Semaphore(0)

    def do(self, whose: str) -> str:
        """Compute."""
        self.began.append(whose)
        assert self.may_end.acquire(timeout=10)
        return whose


async def begin(turns: Turns, work: Work, whose: str) -> asyncio.Task[str]:
    """Let a caller's answer compute, and go as far as that goes at once."""

    async def answer() -> str:
        set_caller(Caller("local", connection=whose))
        return await turns.run(work.do, whose)

    task = asyncio.create_task(answer())
    await asyncio.sleep(0.01)
    return task


async def test_many_answers_of_one_connection_let_another_pass() -> None:
    """Where all have one name, connections tell them apart."""
    turns, work = Turns(at_once=2), Work()
    tasks = [await begin(turns, work, whose) for whose in ("many", "many", "many", "many", "one")]
    first = list(work.began)
    work.may_end.release()
    await eventually(lambda: len(work.began) == 3)
    work.may_end.release(4)

    assert await asyncio.gather(*tasks) == ["many", "many", "many", "many", "one"]
    assert (first, work.began[2]) == (["many", "many"], "one")


async def test_who_leaves_does_so_at_once_and_its_turn_ends_with_its_thread() -> None:
    """A thread cannot be called off; nothing else runs in its place before."""
    turns, work = Turns(at_once=1), Work()
    leaving = await begin(turns, work, "a")
    staying = await begin(turns, work, "b")
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    await asyncio.sleep(0.01)
    before = list(work.began)
    work.may_end.release(2)

    assert await staying == "b"
    assert before == ["a"]


async def test_what_work_raises_is_its_callers() -> None:
    """And the turn is over."""
    turns = Turns(at_once=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await turns.run(divmod, 1, 0)


async def test_an_answer_is_as_large_as_what_it_has_computed() -> None:
    """By processor time, that of failed work too; what waited or slept in between is not counted."""
    turns = Turns()

    def compute(seconds: float) -> None:
        began = time.thread_time()
        while time.thread_time() - began < seconds:
            pass

    await turns.run(time.sleep, 0.1)
    small = current_effort().size
    await turns.run(compute, 0.03)
    large = current_effort().size

    assert (small, large) == (0, 1)


async def test_a_turn_that_cannot_come_in_time_is_refused() -> None:
    """Before the caller's time has passed in vain."""
    turns, work = Turns(at_once=1), Work()
    tasks = [await begin(turns, work, str(whose)) for whose in range(100)]
    work.may_end.release(20)
    await eventually(lambda: len(work.began) == 21)
    start_deadline(0.01)
    current_effort().expect(10_000)
    with pytest.raises(Overloaded):
        await turns.run(work.do, "late")
    work.may_end.release(80)
    await asyncio.gather(*tasks)
