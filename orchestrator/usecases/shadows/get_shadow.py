"""Returns an answer, its shadow, and how far they agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.answers.agreement import compare
from orchestrator.domain.answers.errors import AnswerNotFound, AnswerUnfinished
from orchestrator.domain.answers.records import shadow_id

if TYPE_CHECKING:
    from orchestrator.domain.answers.agreement import Comparison
    from orchestrator.domain.answers.answer import Answer
    from orchestrator.usecases.answers import GetAnswer


@dataclass(frozen=True, slots=True)
class Beside:
    """An answer that was served, its shadow, and how far they agree."""

    served: Answer
    shadow: Answer
    comparison: Comparison


class GetShadow:
    """Builds an answer and its shadow from their events, whoever owns the answer."""

    def __init__(self, get: GetAnswer) -> None:
        self._get = get

    async def run(self, answer_id: str) -> Beside:
        """Return both. Raises AnswerNotFound for an unknown answer, and for one without a shadow."""
        served = await self._get.run(answer_id, None)
        try:
            shadow = await self._get.run(shadow_id(answer_id), None)
        except (AnswerNotFound, AnswerUnfinished) as error:
            text = f"answer {answer_id} has no shadow: none was begun, it is not whole yet, or it was dropped or failed"
            raise AnswerNotFound(text, metadata={"answer_id": answer_id}) from error
        return Beside(served, shadow, compare(served, shadow))
