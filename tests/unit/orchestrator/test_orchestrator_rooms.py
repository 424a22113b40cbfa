"""Room for calls at several addresses: no place is lost or given twice, whoever leaves when."""

from __future__ import annotations

import asyncio

import pytest

from orchestrator.adapters.rooms import Rooms

LONG = 60.0


async def begun(rooms: Rooms, *addresses: str, seconds: float = LONG) -> asyncio.Task[str]:
    """Ask for room, and go as far as that goes at once."""
    task = asyncio.create_task(rooms.take(addresses, seconds))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_the_best_one_with_room_is_taken() -> None:
    """The next one where that is full."""
    rooms = Rooms(["a", "b"], 1)

    assert [await rooms.take(["b", "a"], LONG) for _ in range(2)] == ["b", "a"]


async def test_who_waits_longest_is_first_among_those_whom_it_serves() -> None:
    """Others wait on for their own."""
    rooms = Rooms(["a", "b"], 1)
    for address in ("a", "b"):
        await rooms.take([address], LONG)
    waiting = [await begun(rooms, *names) for names in (("a",), ("a", "b"), ("b",))]
    rooms.give_back("b")
    second = await waiting[1]
    rooms.give_back("b")
    rooms.give_back("a")

    assert (second, await waiting[2], await waiting[0]) == ("b", "b", "a")


async def test_a_place_that_comes_as_one_leaves_is_the_next_ones() -> None:
    """Cancelled between the gift and the taking of it."""
    rooms = Rooms(["a"], 1)
    await rooms.take(["a"], LONG)
    leaving, staying = await begun(rooms, "a"), await begun(rooms, "a")
    rooms.give_back("a")
    leaving.cancel()

    assert await staying == "a"
    assert leaving.cancelled()


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_who_left_gets_nothing(is_cancelled: bool) -> None:
    """Whether he was cancelled or had no more time; the place stays free."""
    rooms = Rooms(["a"], 1)
    await rooms.take(["a"], LONG)
    leaving = await begun(rooms, "a", seconds=LONG if is_cancelled else 0.0)
    if is_cancelled:
        leaving.cancel()
    await asyncio.wait([leaving])
    rooms.give_back("a")

    assert leaving.cancelled() is is_cancelled
    if not is_cancelled:
        with pytest.raises(TimeoutError):
            leaving.result()
    assert await rooms.take(["a"], 0.0) == "a"


async def test_many_calls_of_one_caller_let_another_pass() -> None:
    """Room goes to who has the fewest calls running, and in order where that is the same."""
    rooms, order = Rooms(["a"], 2), list[str]()

    async def call(whose: str) -> None:
        await rooms.take(["a"], LONG, whose)
        order.append(whose)

    calls = [asyncio.create_task(call(whose)) for whose in ("many", "many", "many", "many", "one", "one", "few")]
    await asyncio.sleep(0.01)
    for whose in ("many", "many", "one", "many", "one"):
        rooms.give_back("a", whose)
        await asyncio.sleep(0.01)
    await asyncio.gather(*calls)

    assert order == ["many", "many", "one", "many", "one", "many", "few"]
