"""Looks for a gap that names nothing by what it describes. Has a floor: the best of all symbols may still be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.context import Part
from retriever.domain.gaps import GapOutcome, Match, Wanted

if TYPE_CHECKING:
    from retriever.ports import Snapshot
    from retriever.usecases.describing import FindDescribed
    from retriever.usecases.gaps.protocol import GapTask


class SemanticSearch:
    """
    Takes the best symbols for the description, `top_k` at most, if the right one is likely among them.

    Args:
        floor: Certainty below which nothing is taken for it.
    """

    def __init__(self, described: FindDescribed, floor: float) -> None:
        self._described = described
        self._floor = floor

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Decide always: above the floor or below it."""
        text = f"{wanted.gap.symbol} {wanted.gap.description}".strip() or task.question
        meant = await self._described.run(snapshot, text, limit=task.top_k, use_vectors=Part.VECTORS not in task.off)
        if not meant.symbols or meant.certainty < self._floor:
            return Match(GapOutcome.BELOW_FLOOR, "semantic", "nothing in this repository is close enough to it")
        best = meant.symbols[0]
        detail = f"the closest in meaning is {best.dotted} ({best.path}:{best.start_line})"
        return Match(GapOutcome.RESOLVED, "semantic", detail, meant.symbols)
