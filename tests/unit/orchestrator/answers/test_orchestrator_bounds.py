"""What bounds an answer: time and tokens, its own or less where its callers have or ask for less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from common.core.errors import InvalidArgument
from orchestrator.domain.answers.events import Classified, EvidenceSupplied, PassFinished, PassStarted, Started
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.questions.question import Budget, Classification
from orchestrator.usecases.answering.context import Answering, AnsweringSettings, decide_budget
from orchestrator.usecases.feed import AnswerFeed
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog


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


async def test_an_answer_that_is_taken_up_again_has_what_is_left_of_its_time() -> None:
    """What took its time before counts; how long it lay in between does not, whatever its clocks say."""
    clock = FakeClock()
    unwatched: Any = None
    record = AnswerRecord("a", "ann", Question("shop", "What is it?"), "", clock.now())
    log = MemoryLog()
    before = AnswerFeed("a", log, clock)
    for event in (
        Started("a"),
        Classified(Classification(), milliseconds=500.0),
        EvidenceSupplied(1, milliseconds=1500.0),
        PassStarted(1),
        PassFinished(1, milliseconds=3000.0),
        EvidenceSupplied(2, milliseconds=1000.0),
        PassStarted(2),
    ):
        await before.emit(event)
    await before.flush()
    clock.advance(3600.0)
    feed = AnswerFeed("a", log, clock)
    await feed.restore()
    answering = Answering(record, feed, AnsweringSettings(answer_seconds=10.0), clock, unwatched)
    clock.advance(2.5)

    assert answering.situation().seconds_left == 1.5
    await feed.emit(PassStarted(2))
    await feed.emit(PassFinished(2, milliseconds=2500.0))
    assert answering.situation().seconds_left == 1.5, "what it takes now is measured once"


DEFAULT = Budget(6000, 500, 4000, 2000, 500, 1500, after_pass_tokens=(1000, 750, 500))
WHOLE = Budget(9000, 1000, 100, 200, 50, 60, after_pass_tokens=(40, 30))


@pytest.mark.parametrize(
    ("asked", "in_force"),
    [
        (Budget(), DEFAULT),
        (WHOLE, WHOLE),
        (Budget(total_tokens=1600), Budget(1600, 500, 800, 400, 100, 300, after_pass_tokens=(200, 150, 100))),
        (
            Budget(total_tokens=11_500),
            Budget(11_500, 500, 8000, 4000, 1000, 3000, after_pass_tokens=(2000, 1500, 1000)),
        ),
        (Budget(system_tokens=5450), Budget(6000, 5450, 400, 200, 50, 150, after_pass_tokens=(100, 75, 50))),
        (
            Budget(1600, gap_total_tokens=5000),
            Budget(1600, 500, 800, 1100, 100, 300, after_pass_tokens=(200, 150, 100)),
        ),
        (Budget(4500), Budget(4500, 500, 2909, 1454, 363, 1090, after_pass_tokens=(727, 545, 363))),
    ],
)
def test_what_is_not_asked_for_is_the_setting_as_far_as_there_is_room(asked: Budget, in_force: Budget) -> None:
    """What comes first and what is fetched later share what system text and question leave."""
    assert decide_budget(asked, DEFAULT) == in_force


@pytest.mark.parametrize(
    ("asked", "field"), [(Budget(total_tokens=500), "total_tokens"), (Budget(system_tokens=6000), "system_tokens")]
)
def test_a_budget_without_room_for_evidence_is_refused(asked: Budget, field: str) -> None:
    """The field that was asked for is named."""
    with pytest.raises(InvalidArgument) as refused:
        decide_budget(asked, DEFAULT)

    assert [each.field for each in refused.value.violations] == [f"options.budget.{field}"]
