"""Reads a finished answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.errors import AnswerUnfinished
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.owned import owned

if TYPE_CHECKING:
    from common.core.clock import Clock
    from orchestrator.domain.answers.answer import Answer
    from orchestrator.ports import AnswerRecords, EventLog


class GetAnswer:
    """Folds the events of an answer."""

    def __init__(self, records: AnswerRecords, log: EventLog, clock: Clock) -> None:
        self._records = records
        self._log = log
        self._clock = clock

    async def run(self, answer_id: str, owner: str | None) -> Answer:
        """Return the owner's answer, None is everybody. Raises AnswerNotFound, and AnswerUnfinished before its end."""
        record = await owned(self._records, answer_id, owner)
        feed = AnswerFeed(record.answer_id, self._log, self._clock)
        await feed.restore()
        if feed.state.answer is None:
            record = await owned(self._records, answer_id, owner)  # it may have been removed while it was read
            next_step = (
                "was cancelled; ask again" if record.is_cancelled else "is not whole; go on with it by WatchAnswer"
            )
            text = f"answer {answer_id} {next_step}"
            raise AnswerUnfinished(text, metadata={"answer_id": answer_id})
        return feed.state.answer
