"""Looks for a gap that names nothing by what it describes. Has a floor: the nearest of all things may still be far."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from retriever.domain.context import Part
from retriever.domain.gaps import GapOutcome, Match, Wanted
from retriever.domain.question import SearchQuery
from retriever.domain.relevance import covered_share, rarity
from retriever.usecases.drafting import shown_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.question import Ranking
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.hybrid import Ranker

FLOOR = 0.2
"""
Share of the description's weight that a match must carry.

Over six projects, 93 % of the right matches of docstrings in other words lie above it (their docstrings taken out of
the index), and 10 % of the best matches of sentences about something else (`make eval-gaps`).
"""
_CANDIDATES = 10


class SemanticSearch:
    """Ranks symbols for the description and keeps those above the floor, `top_k` at most."""

    def __init__(self, ranker: Ranker, floor: float = FLOOR) -> None:
        self._ranker = ranker
        self._floor = floor

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Decide always: above the floor or below it."""
        text = f"{wanted.gap.symbol} {wanted.gap.description}".strip() or task.question
        query = SearchQuery(
            text=text,
            max_files=1,
            max_symbols=_CANDIDATES,
            max_docs=0,
            use_vectors=Part.VECTORS not in task.off,
        )
        ranking = await self._ranker.run(snapshot, query)
        above = await asyncio.to_thread(self._above, snapshot, text, ranking)
        if not above:
            return Match(GapOutcome.BELOW_FLOOR, "semantic", "nothing in this repository is close enough to it")
        detail = f"the closest in meaning is {above[0].dotted} ({above[0].path}:{above[0].start_line})"
        return Match(GapOutcome.RESOLVED, "semantic", detail, tuple(above[: task.top_k]))

    def _above(self, snapshot: Snapshot, text: str, ranking: Ranking) -> list[Symbol]:
        weights = _weights(snapshot, text)
        ranked = [each.symbol for each in ranking.symbols]
        return [
            symbol
            for symbol in ranked
            if covered_share(weights, f"{symbol.dotted} {shown_text(snapshot, symbol)}") >= self._floor
        ]


def _weights(snapshot: Snapshot, text: str) -> Mapping[str, float]:
    asked = list(count_terms(text))
    units = len(snapshot.lexical.corpus().symbols)
    holding = [0] * len(asked)
    for position in snapshot.lexical.postings(asked).symbols.terms.tolist():
        holding[position] += 1
    return {term: rarity(count, units) for term, count in zip(asked, holding, strict=True)}
