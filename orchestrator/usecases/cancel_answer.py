"""Stops an answer for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.usecases.owned import owned

if TYPE_CHECKING:
    from orchestrator.ports import AnswerRecords
    from orchestrator.usecases.runs import Runs


class CancelAnswer:
    """Cancels the model call of an answer, ends its streams, and keeps it from being taken up again."""

    def __init__(self, runs: Runs, records: AnswerRecords) -> None:
        self._runs = runs
        self._records = records

    async def run(self, answer_id: str, owner: str) -> bool:
        """Tell whether the answer was being made. Raises AnswerNotFound."""
        return await self._runs.cancel(await owned(self._records, answer_id, owner))
