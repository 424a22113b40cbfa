"""Use cases for an existing answer: read, watch, cancel and rate it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from orchestrator.domain.answers.errors import AnswerNotFound, AnswerUnfinished
from orchestrator.usecases.feed import AnswerFeed

if TYPE_CHECKING:
    from common.core.clock import Clock
    from orchestrator.domain.answers.answer import Answer
    from orchestrator.domain.answers.records import AnswerRecord, Rating
    from orchestrator.ports import AnswerObserver, AnswerRecords, EventLog, Feedback
    from orchestrator.usecases.feed import FeedReader
    from orchestrator.usecases.runs import Runs


async def owned(records: AnswerRecords, answer_id: str, owner: str | None) -> AnswerRecord:
    """Return an answer's record; owner None allows any owner. Raises AnswerNotFound, also for another owner."""
    record = await records.find(answer_id)
    if record is None or owner not in (None, record.owner):
        raise AnswerNotFound.of(answer_id)
    return record


class GetAnswer:
    """Builds a finished answer from its logged events."""

    def __init__(self, records: AnswerRecords, log: EventLog, clock: Clock) -> None:
        self._records = records
        self._log = log
        self._clock = clock

    async def run(self, answer_id: str, owner: str | None) -> Answer:
        """Return a finished answer; owner None allows any owner. Raises AnswerNotFound, AnswerUnfinished."""
        record = await owned(self._records, answer_id, owner)
        feed = AnswerFeed(record.answer_id, self._log, self._clock)
        await feed.restore()
        if feed.state.answer is None:
            record = await owned(self._records, answer_id, owner)  # raises if it was deleted meanwhile
            next_step = (
                "was cancelled; ask again" if record.is_cancelled else "is not whole; go on with it by WatchAnswer"
            )
            text = f"answer {answer_id} {next_step}"
            raise AnswerUnfinished(text, metadata={"answer_id": answer_id})
        return feed.state.answer


class ManageAnswers:
    """Answers of the caller. Each method raises AnswerNotFound for an unknown answer or one of another owner."""

    def __init__(
        self, get: GetAnswer, runs: Runs, records: AnswerRecords, feedback: Feedback, observer: AnswerObserver
    ) -> None:
        self._get = get
        self._runs = runs
        self._records = records
        self._feedback = feedback
        self._observer = observer

    async def get(self, answer_id: str, owner: str) -> Answer:
        """Return a finished answer. Raises AnswerUnfinished before its end."""
        return await self._get.run(answer_id, owner)

    async def watch(self, answer_id: str, after: int, owner: str) -> FeedReader:
        """
        Return a reader of an answer's events after a sequence number; the caller must close it. It raises Cancelled.

        An answer that was suspended or failed is resumed after its last event.
        """
        return await self._runs.follow(await owned(self._records, answer_id, owner), after)

    async def cancel(self, answer_id: str, owner: str) -> bool:
        """
        Cancel the model call of an answer, end its streams, and prevent its resumption.

        Returns whether the answer was being made.
        """
        return await self._runs.cancel(await owned(self._records, answer_id, owner))

    async def rate(self, rating: Rating, owner: str) -> None:
        """Store a rating, which replaces an earlier one; metrics count only the first rating of an answer."""
        await owned(self._records, rating.answer_id, owner)
        if not await self._feedback.rate(rating):
            return
        answer = None
        with suppress(AnswerUnfinished):
            answer = await self._get.run(rating.answer_id, owner)
        self._observer.rated(rating.rating, answer)
