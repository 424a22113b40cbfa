"""Reads what a retrieval considered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.errors import RetrievalNotFound

if TYPE_CHECKING:
    from retriever.domain.evidence.piece import Decision
    from retriever.ports import DecisionLog


class ListDecisions:
    """Reads what a retrieval considered."""

    def __init__(self, log: DecisionLog) -> None:
        self._log = log

    async def run(
        self, repository: str, retrieval_id: str, after: int, size: int
    ) -> tuple[tuple[tuple[int, Decision], ...], bool]:
        """
        Return one page of (sequence, decision), and whether more follow.

        Raises:
            RetrievalNotFound: if nothing was logged under that id.
        """
        found = await self._log.read(repository, retrieval_id, after, size + 1)
        if not found and not after:
            why = "logs are kept for a limited time, and not while their store is away"
            text = f"no retrieval {retrieval_id!r} in {repository!r}; {why}"
            raise RetrievalNotFound(text, metadata={"retrieval_id": retrieval_id})
        return found[:size], len(found) > size
