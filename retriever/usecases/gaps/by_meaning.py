"""Resolves a gap without names by its description. Requires a least certainty: even the best symbol may be wrong."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome
from retriever.domain.tasks.context import Part
from retriever.domain.tasks.gaps import Match, Wanted
from retriever.usecases.gaps.by_name import find_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.searching.describing import FindDescribed


class SemanticSearch:
    """
    Returns the best symbols for a description, `top_k` at most, if the right one is likely among them.

    A definition that the description mentions is among them; it is the only result if the certainty is too low.

    Args:
        floor: Least certainty; below it the ranked symbols are not returned.
    """

    def __init__(self, described: FindDescribed, floor: float, top_k: int) -> None:
        self._described = described
        self._floor = floor
        self._top_k = top_k

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Return a match in any case: the symbols, else the mentioned definition, else that nothing is close enough."""
        text = f"{wanted.gap.symbol} {wanted.gap.description}".strip() or task.question
        meant = await self._described.run(snapshot, text, limit=self._top_k, use_vectors=Part.VECTORS not in task.off)
        named = await asyncio.to_thread(find_named, snapshot, wanted.mention) if wanted.mention else None
        if not meant.symbols or meant.certainty < self._floor:
            return named or Match(
                GapOutcome.BELOW_FLOOR, "semantic", "nothing in this repository is close enough to it"
            )
        best = meant.symbols[0]
        detail = f"the closest in meaning is {best.dotted} ({best.path}:{best.start_line})"
        return Match(GapOutcome.RESOLVED, "semantic", detail, _with_mention(meant.symbols, named, self._top_k))


def _with_mention(found: Sequence[Symbol], named: Match | None, limit: int) -> tuple[Symbol, ...]:
    """Include the mentioned definition in the matches, in place of the last one if needed; the best one stays."""
    mentioned = named.symbols[:1] if named and named.outcome == GapOutcome.RESOLVED else ()
    if limit < 2 or not mentioned or mentioned[0] in found:
        return tuple(found)
    return (*found[: limit - 1], *mentioned)
