"""What fails is left alone, and asked again by one."""

from __future__ import annotations

import asyncio

import pytest

from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable, Overloaded
from common.core.runtime.breaker import BreakerPolicy, BreakerState, CircuitBreaker, CircuitOpen, Dependency
from tests.fakes.clock import FakeClock


def test_the_breaker_counts_failures_in_a_row() -> None:
    """A success starts the count anew."""
    breaker = CircuitBreaker(BreakerPolicy(failures=2), FakeClock(), "it")
    for outcome in (breaker.failed, breaker.succeeded, breaker.failed):
        breaker.admit()
        outcome()

    assert breaker.state is BreakerState.CLOSED


def test_a_failed_probe_opens_the_breaker_for_another_turn() -> None:
    """One probe at a time; a jump of the date does not matter, only time that passes."""
    clock = FakeClock()
    breaker = CircuitBreaker(BreakerPolicy(failures=1, open_seconds=30), clock, "it")
    breaker.admit()
    breaker.failed()
    clock.jump(86_400)
    states = [breaker.state]
    clock.advance(30)
    states.append(breaker.state)
    breaker.admit()
    with pytest.raises(CircuitOpen):
        breaker.admit()
    breaker.failed()
    states.append(breaker.state)
    clock.advance(30)
    breaker.admit()
    breaker.abandoned()
    breaker.admit()
    breaker.succeeded()
    states.append(breaker.state)

    assert states == [BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.OPEN, BreakerState.CLOSED]


class Asked:
    """Something that raises what it is told to, asked through a breaker that opens at two failures for ten seconds."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.shown: list[BreakerState] = []
        self.error: AppError | None = None
        self.count = 0
        policy = BreakerPolicy(failures=2, open_seconds=10)
        self.dependency = Dependency("the store", policy, self.clock, self.shown.append)

    async def work(self) -> str:
        """Answer, or raise."""
        self.count += 1
        if self.error:
            raise self.error
        return "well"

    async def fail(self, error: AppError) -> str:
        """Ask while it fails, and return what the caller is told."""
        self.error = error
        with pytest.raises(type(error)) as raised:
            await self.dependency.ask(self.work)
        return raised.value.message


async def test_what_does_not_answer_is_not_asked_for_a_while() -> None:
    """It says since when and for how long; then one request finds out that it is well."""
    asked = Asked()
    texts = [await asked.fail(DependencyUnavailable("away")) for _ in range(3)]
    count = asked.count
    asked.clock.advance(10)
    asked.error = None
    found = await asked.dependency.ask(asked.work)

    assert texts == ["away", "away", "the store failed 2 times in a row; it is tried again in 10 s"]
    assert (count, found) == (2, "well")
    assert asked.shown == [BreakerState.CLOSED, BreakerState.OPEN, BreakerState.CLOSED]


@pytest.mark.parametrize("error", [DeadlineExceeded("no time"), Overloaded("busy")], ids=["deadline", "refusal"])
async def test_who_says_no_is_not_ill(error: AppError) -> None:
    """Nor is who was given too little time."""
    asked = Asked()
    for _ in range(4):
        await asked.fail(error)

    assert asked.count == 4


async def test_a_caller_that_leaves_says_nothing_of_what_it_asked() -> None:
    """One that was to find out leaves that to the next one."""
    asked = Asked()
    for _ in range(2):
        await asked.fail(DependencyUnavailable("away"))
    asked.clock.advance(10)
    probe = asyncio.create_task(asked.dependency.ask(asyncio.Event().wait))
    await asyncio.sleep(0)
    await asked.fail(DependencyUnavailable("left alone"))
    probe.cancel()
    await asyncio.wait([probe])
    asked.error = None

    assert await asked.dependency.ask(asked.work) == "well"
