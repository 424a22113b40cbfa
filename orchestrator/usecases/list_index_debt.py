"""Lists why gaps stay unresolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.domain.records import IndexDebt
    from orchestrator.ports import Feedback


class ListIndexDebt:
    """Reads the ledger of unresolved gaps."""

    def __init__(self, feedback: Feedback) -> None:
        self._feedback = feedback

    async def run(self, repository: str, offset: int, limit: int) -> tuple[IndexDebt, ...]:
        """Return causes, most frequent first."""
        return await self._feedback.list_debts(repository, offset, limit)
