"""Keeps what a caller thinks of an answer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from orchestrator.domain.answers.errors import AnswerUnfinished
from orchestrator.usecases.owned import owned

if TYPE_CHECKING:
    from orchestrator.domain.answers.records import Rating
    from orchestrator.ports import AnswerObserver, AnswerRecords, Feedback
    from orchestrator.usecases.get_answer import GetAnswer


class RateAnswer:
    """Rates an answer of one's own."""

    def __init__(self, records: AnswerRecords, feedback: Feedback, observer: AnswerObserver, get: GetAnswer) -> None:
        self._records = records
        self._feedback = feedback
        self._observer = observer
        self._get = get

    async def run(self, rating: Rating, owner: str) -> None:
        """Keep the rating; it replaces an earlier one, and only the first is counted. Raises AnswerNotFound."""
        await owned(self._records, rating.answer_id, owner)
        if not await self._feedback.rate(rating):
            return
        answer = None
        with suppress(AnswerUnfinished):
            answer = await self._get.run(rating.answer_id, owner)
        self._observer.rated(rating.rating, answer)
