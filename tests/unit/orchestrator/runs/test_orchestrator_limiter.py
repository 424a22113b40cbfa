"""Room for calls at several addresses: no place is lost or given twice, whoever leaves when."""

from __future__ import annotations

import asyncio

import pytest

from common.core.errors import Overloaded
from orchestrator.adapters.effort import Effort
from orchestrator.adapters.peers.limiter import ConcurrencyLimiter

LONG = 60.0
SOMEBODY = Effort()


async def begun(limiter: ConcurrencyLimiter, *addresses: str, seconds: float = LONG) -> asyncio.Task[str]:
    """Ask for room, and go as far as that goes at once."""
    task = asyncio.create_task(limiter.acquire(addresses, seconds, SOMEBODY))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_the_best_one_with_room_is_taken() -> None:
    """The next one where that is full."""
    limiter = ConcurrencyLimiter(["a", "b"], 1)

    assert [await limiter.acquire(["b", "a"], LONG, SOMEBODY) for _ in range(2)] == ["b", "a"]


async def test_who_waits_longest_is_first_among_those_whom_it_serves() -> None:
    """Others wait on for their own."""
    limiter = ConcurrencyLimiter(["a", "b"], 1)
    for address in ("a", "b"):
        await limiter.acquire([address], LONG, SOMEBODY)
    waiting = [await begun(limiter, *names) for names in (("a",), ("a", "b"), ("b",))]
    limiter.release("b", SOMEBODY)
    second = await waiting[1]
    limiter.release("b", SOMEBODY)
    limiter.release("a", SOMEBODY)

    assert (second, await waiting[2], await waiting[0]) == ("b", "b", "a")


async def test_a_place_that_comes_as_one_leaves_is_the_next_ones() -> None:
    """Cancelled between the gift and the taking of it."""
    limiter = ConcurrencyLimiter(["a"], 1)
    await limiter.acquire(["a"], LONG, SOMEBODY)
    leaving, staying = await begun(limiter, "a"), await begun(limiter, "a")
    limiter.release("a", SOMEBODY)
    leaving.cancel()

    assert await staying == "a"
    assert leaving.cancelled()


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_who_left_gets_nothing(is_cancelled: bool) -> None:
    """Whether he was cancelled or had no more time; the place stays free."""
    limiter = ConcurrencyLimiter(["a"], 1)
    await limiter.acquire(["a"], LONG, SOMEBODY)
    leaving = await begun(limiter, "a", seconds=LONG if is_cancelled else 0.0)
    if is_cancelled:
        leaving.cancel()
    await asyncio.wait([leaving])
    limiter.release("a", SOMEBODY)

    assert leaving.cancelled() is is_cancelled
    if not is_cancelled:
        with pytest.raises(TimeoutError):
            leaving.result()
    assert await limiter.acquire(["a"], 0.0, SOMEBODY) == "a"


async def test_many_calls_of_one_caller_let_another_pass() -> None:
    """Room goes to who has the fewest calls running, and in order where that is the same."""
    limiter, order = ConcurrencyLimiter(["a"], 2), list[str]()

    async def call(whose: str) -> None:
        await limiter.acquire(["a"], LONG, Effort(whose))
        order.append(whose)

    calls = [asyncio.create_task(call(whose)) for whose in ("many", "many", "many", "many", "one", "one", "few")]
    await asyncio.sleep(0.01)
    for whose in ("many", "many", "one", "many", "one"):
        limiter.release("a", Effort(whose))
        await asyncio.sleep(0.01)
    await asyncio.gather(*calls)

    assert order == ["many", "many", "one", "many", "one", "many", "few"]


async def in_turn(limiter: ConcurrencyLimiter, efforts: list[Effort]) -> list[Effort]:
    """Let work wait for the only room, which somebody has, and return the order in which it got it."""
    order: list[Effort] = []

    async def call(effort: Effort) -> None:
        await limiter.acquire(["a"], LONG, effort)
        order.append(effort)

    await limiter.acquire(["a"], LONG, SOMEBODY)
    calls = [asyncio.create_task(call(effort)) for effort in efforts]
    await asyncio.sleep(0.01)
    limiter.release("a", SOMEBODY)
    for number in range(len(efforts)):
        await asyncio.sleep(0.01)
        limiter.release("a", order[number])
    await asyncio.gather(*calls)
    return order


async def test_small_work_goes_before_large_work_of_many_callers() -> None:
    """Whoever they say they are: what has taken little is soon made among two hundred that have taken much."""
    large = [Effort(f"connection {number}", taken_seconds=0.1) for number in range(200)]
    small = Effort("another connection")

    order = await in_turn(ConcurrencyLimiter(["a"], 1), [*large, small])

    assert order.index(small) == 0


async def test_of_equally_large_work_what_began_first_is_made_whole() -> None:
    """Though it comes last, having just had its turn before."""
    first, second, third = (Effort(name, taken_seconds=0.1) for name in "abc")

    assert await in_turn(ConcurrencyLimiter(["a"], 1), [second, third, first]) == [first, second, third]


async def test_large_work_is_made_too_while_small_work_keeps_coming() -> None:
    """Each fourth room is for who has waited longest."""
    large = Effort("large", taken_seconds=0.1)

    order = await in_turn(ConcurrencyLimiter(["a"], 1), [large, *(Effort(f"small {number}") for number in range(20))])

    assert order.index(large) == 3


async def test_what_cannot_have_its_turn_in_time_is_refused_early() -> None:
    """It is told when it could have; who is before all others, or has the time, waits."""
    seconds = [0.0]
    limiter = ConcurrencyLimiter(["a"], 1, lambda: seconds[0])

    async def call(longest: float, effort: Effort) -> None:
        await limiter.acquire(["a"], longest, effort)

    await limiter.acquire(["a"], LONG, SOMEBODY)
    large = [asyncio.create_task(call(41.0, Effort(str(each), taken_seconds=0.1))) for each in range(40)]
    await asyncio.sleep(0.01)
    for _ in range(10):
        seconds[0] += 2.0
        limiter.release("a", SOMEBODY)
        await asyncio.sleep(0)
    few = asyncio.create_task(call(1.0, Effort("few")))
    late = asyncio.create_task(call(20.0, Effort("late", taken_seconds=0.1)))
    await asyncio.sleep(0.01)

    assert not few.done()
    with pytest.raises(Overloaded) as refused:
        await late
    told = [each for each in large if each.done() and each.exception()]
    assert refused.value.retry_after_seconds == 2.0 * (40 - 10 + 1 - len(told))
    assert told == large[-len(told) :]
    for task in (few, *large):
        task.cancel()
    await asyncio.gather(few, *large, return_exceptions=True)
