"""Goes on with the stream of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.usecases.owned import owned

if TYPE_CHECKING:
    from orchestrator.ports import AnswerRecords
    from orchestrator.usecases.feed import FeedReader
    from orchestrator.usecases.runs import Runs


class WatchAnswer:
    """Follows an answer from any event; one that was suspended or failed is taken up where its events end."""

    def __init__(self, runs: Runs, records: AnswerRecords) -> None:
        self._runs = runs
        self._records = records

    async def run(self, answer_id: str, after: int, owner: str) -> FeedReader:
        """Return the events of an answer behind a sequence number; close them. Raises AnswerNotFound, Cancelled."""
        return await self._runs.follow(await owned(self._records, answer_id, owner), after)
