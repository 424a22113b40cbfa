"""Goes on with the stream of an answer."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from orchestrator.usecases.owned import owned

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from orchestrator.domain.events import Heartbeat, NumberedEvent
    from orchestrator.ports import AnswerRecords
    from orchestrator.usecases.runs import Runs


class WatchAnswer:
    """Follows an answer from any event; one that was suspended or failed is taken up where its events end."""

    def __init__(self, runs: Runs, records: AnswerRecords) -> None:
        self._runs = runs
        self._records = records

    async def run(
        self, answer_id: str, after: int, owner: str
    ) -> AsyncGenerator[tuple[str, NumberedEvent | Heartbeat], None]:
        """Give the answer's identity with each event behind a sequence number. Raises AnswerNotFound, Cancelled."""
        record = await owned(self._records, answer_id, owner)
        with closing(await self._runs.follow(record, after)) as events:
            async for event in events:
                yield answer_id, event
