"""Looks for a gap that names nothing by what it describes. Has a floor: the nearest of all things may still be far."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retriever.domain.context import Part
from retriever.domain.gaps import GapOutcome, Match, Wanted
from retriever.domain.question import SearchQuery
from retriever.domain.relevance import covered_share
from retriever.usecases.drafting import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.stages.searching import Ranker

FLOOR = 0.6
"""Share of the description's meaning that a match must carry; calibrated by `make eval-gaps`."""
_CANDIDATES = 10


class SemanticSearch:
    """Ranks symbols for the description and keeps those above the floor, `top_k` at most."""

    def __init__(self, ranker: Ranker, floor: float = FLOOR) -> None:
        self._ranker = ranker
        self._floor = floor

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Decide always: above the floor or below it."""
        text = wanted.gap.description or task.question
        query = SearchQuery(
            text=text,
            max_files=0,
            max_symbols=_CANDIDATES,
            max_docs=0,
            use_vectors=Part.VECTORS not in task.off,
        )
        ranking = await self._ranker.run(snapshot, query)
        shares = await asyncio.to_thread(_shares, snapshot, text, [each.symbol for each in ranking.symbols])
        above = [each.symbol for each in ranking.symbols if shares[each.symbol.id] >= self._floor][: task.top_k]
        if not above:
            return Match(GapOutcome.BELOW_FLOOR, "semantic", "nothing in this repository is close enough to it")
        detail = f"the closest in meaning is {above[0].qualified_name} ({above[0].path}:{above[0].start_line})"
        return Match(GapOutcome.RESOLVED, "semantic", detail, tuple(above))


def _shares(snapshot: Snapshot, text: str, symbols: Sequence[Symbol]) -> dict[int, float]:
    shown = {symbol.id: f"{symbol.dotted} {read_lines(snapshot, symbol.span)}" for symbol in symbols}
    return covered_share(text, shown)
