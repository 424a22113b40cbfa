"""How much time an answer has: its own, or less where its callers have less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.domain.records import AnswerRecord, Question
from orchestrator.usecases.answering.context import Answering, AnsweringSettings
from orchestrator.usecases.feed import AnswerFeed
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.test_orchestrator_feed import MemoryLog


@pytest.mark.parametrize(
    ("of_callers", "left"), [(lambda: None, 7.5), (lambda: 3.0, 3.0), (lambda: 8.0, 7.5), (lambda: -1.0, -1.0)]
)
def test_time_passes_from_the_beginning_of_the_work_on(of_callers: Callable[[], float | None], left: float) -> None:
    """Whichever ends first bounds it."""
    clock = FakeClock()
    unwatched: Any = None
    record = AnswerRecord("a", "ann", Question("shop", "What is it?"), "", clock.now())
    feed = AnswerFeed("a", MemoryLog(), clock)
    answering = Answering(record, feed, AnsweringSettings(answer_seconds=10.0), clock, unwatched, of_callers)
    clock.advance(2.5)

    assert answering.situation().seconds_left == left
