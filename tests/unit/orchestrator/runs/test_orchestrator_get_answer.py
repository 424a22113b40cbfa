"""Reading an answer that is not whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.domain.answers.errors import AnswerNotFound, AnswerUnfinished
from orchestrator.domain.answers.events import NumberedEvent
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.usecases.answers import GetAnswer
from tests.fakes.clock import FakeClock

RECORD = AnswerRecord("ans_1", "anna", Question("shop", "why?"), "", datetime(2026, 1, 1, tzinfo=UTC))


@dataclass
class Answers:
    """Records and events of answers; what is removed goes while its events are read."""

    records: dict[str, AnswerRecord] = field(default_factory=lambda: {"ans_1": RECORD})
    removed: bool = False

    async def find(self, answer_id: str) -> AnswerRecord | None:
        return self.records.get(answer_id)

    async def read(self, answer_id: str, _after: int, _limit: int) -> tuple[NumberedEvent, ...]:
        if self.removed:
            self.records.pop(answer_id, None)
        return ()


def _reading(answers: Any) -> GetAnswer:
    return GetAnswer(answers, answers, FakeClock())


async def test_an_answer_that_is_removed_while_it_is_read_is_unknown() -> None:
    """Its record was there and its events are not: that it is not whole would send its caller to wait for it."""
    with pytest.raises(AnswerNotFound):
        await _reading(Answers(removed=True)).run("ans_1", "anna")


async def test_an_answer_without_its_end_is_unfinished() -> None:
    """It says how to go on."""
    with pytest.raises(AnswerUnfinished, match="WatchAnswer"):
        await _reading(Answers()).run("ans_1", "anna")
