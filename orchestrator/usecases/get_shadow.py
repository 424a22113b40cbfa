"""Reads an answer beside its shadow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.agreement import compare
from orchestrator.domain.errors import AnswerNotFound
from orchestrator.domain.records import shadow_id

if TYPE_CHECKING:
    from orchestrator.domain.agreement import Comparison
    from orchestrator.domain.answer import Answer
    from orchestrator.ports import AnswerRecords
    from orchestrator.usecases.get_answer import GetAnswer


@dataclass(frozen=True, slots=True)
class Beside:
    """An answer that was served, its shadow, and how far they agree."""

    served: Answer
    shadow: Answer
    comparison: Comparison


class GetShadow:
    """Folds the events of both; whose answer it is does not matter."""

    def __init__(self, get: GetAnswer, records: AnswerRecords) -> None:
        self._get = get
        self._records = records

    async def run(self, answer_id: str) -> Beside:
        """Return both. Raises AnswerNotFound for an unknown answer, and for one without a shadow."""
        served = await self._get.run(answer_id, None)
        name = shadow_id(answer_id)
        if await self._records.find(name) is None:
            text = f"answer {answer_id} has no shadow: none was begun, or it was dropped or failed"
            raise AnswerNotFound(text, metadata={"answer_id": answer_id})
        shadow = await self._get.run(name, None)
        return Beside(served, shadow, compare(served, shadow))
