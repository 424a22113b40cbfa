"""Reads decisions, damaged layers and removals of the service."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.visibility import EVERYTHING
from retriever.domain.errors import RetrievalNotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.removals import Removal
    from common.core.visibility import Visibility
    from retriever.domain.evidence.piece import Decision
    from retriever.domain.values import LayerProblem
    from retriever.ports import DecisionLog, Removals


class ListDecisions:
    """Reads the decisions of a retrieval."""

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
            why = "decisions are kept for a limited time, and not while their store is unavailable"
            text = f"no retrieval {retrieval_id!r} in {repository!r}; {why}; check both, or send the request again"
            raise RetrievalNotFound(text, metadata={"retrieval_id": retrieval_id})
        return found[:size], len(found) > size


class ListRemovals:
    """Lists removed repositories that the caller may see."""

    def __init__(self, removals: Removals, visibility: Visibility = EVERYTHING) -> None:
        self._removals = removals
        self._visibility = visibility

    async def run(self, after: str, size: int) -> tuple[tuple[Removal, ...], bool]:
        """Return one page of the removals of names behind `after`, and whether more follow."""
        told = await asyncio.to_thread(self._removals.all)
        found = tuple(each for each in told if each.repository > after and self._visibility.sees(each.repository))
        return found[:size], len(found) > size


class ListLayerProblems:
    """
    Lists layers that this process could not open, of the repositories that may be seen.

    Args:
        problems: Returns those that cannot be used now, in order of repository and layer.
    """

    def __init__(self, problems: Callable[[], tuple[LayerProblem, ...]], visibility: Visibility = EVERYTHING) -> None:
        self._problems = problems
        self._visibility = visibility

    async def run(self, first: int, size: int) -> tuple[tuple[LayerProblem, ...], bool]:
        """Return one page from a position on, and whether more follow."""
        found = tuple(each for each in self._problems() if self._visibility.sees(each.repository))
        return found[first : first + size], first + size < len(found)
