"""Keeps what a caller thinks of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.usecases.owned import owned

if TYPE_CHECKING:
    from orchestrator.domain.records import Rating
    from orchestrator.ports import AnswerObserver, AnswerRecords, Feedback


class RateAnswer:
    """Rates an answer of one's own."""

    def __init__(self, records: AnswerRecords, feedback: Feedback, observer: AnswerObserver) -> None:
        self._records = records
        self._feedback = feedback
        self._observer = observer

    async def run(self, rating: Rating, owner: str) -> None:
        """Keep the rating; it replaces an earlier one. Raises AnswerNotFound."""
        await owned(self._records, rating.answer_id, owner)
        await self._feedback.rate(rating)
        self._observer.rated(rating.rating)
