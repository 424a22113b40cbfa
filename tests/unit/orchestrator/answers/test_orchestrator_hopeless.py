"""A question whose answer could not be made in the time that there is for it."""

from __future__ import annotations

from typing import Any

import pytest

from common.core.errors import Overloaded
from orchestrator.domain.answers.records import Question
from orchestrator.domain.questions.question import Budget
from orchestrator.usecases.ask import Ask
from tests.fakes.clock import FakeClock

_BUDGET = Budget(6000, 500, 4000, 2000, 500, 1500, (1000,))


async def test_it_is_refused_before_anything_is_begun() -> None:
    """By its length; no session is opened, nothing is kept, nobody is asked."""
    asked: list[int] = []

    def refuse(characters: int) -> None:
        asked.append(characters)
        raise Overloaded("try again", retry_after_seconds=30)

    nobody: Any = None
    ask = Ask(nobody, nobody, nobody, nobody, nobody, FakeClock(), nobody, _BUDGET, refuse)
    with pytest.raises(Overloaded):
        await ask.run(Question("shop", "Why?" * 100), "anna")

    assert asked == [400]
