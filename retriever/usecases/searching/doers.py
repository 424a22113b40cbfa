"""Finds the functions that perform the action a question asks about."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from retriever.usecases.locating.naming import FUNCTIONS

if TYPE_CHECKING:
    from retriever.domain.questions.process import Process
    from retriever.domain.questions.question import Ranking
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_RANKED, _LEADS, _PUBLIC = 0.6, 0.3, 0.15
"""Points for the best match, for calling something, and for being public; a name gives up to 3.8 points."""
_LEAST = 1.2
SUREST = 4.9
"""Highest possible points of a function."""


def doers(snapshot: Snapshot, ranking: Ranking, process: Process) -> list[tuple[Symbol, float]]:
    """
    Return ranked functions whose names say the action, each with its points, most points first.

    Points are between 1.2 and SUREST; ties stay in order of the ranking. Tests, examples and tools are left out.
    """
    best = ranking.symbols[0].score if ranking.symbols else 1.0
    fits = {
        each.symbol: (process.fit(each.symbol), math.sqrt(max(0.0, each.score / best)))
        for each in ranking.symbols
        if each.symbol.kind in FUNCTIONS and not each.symbol.is_test and not each.symbol.is_aside
    }
    found = {symbol: by_name + _RANKED * by_rank for symbol, (by_name, by_rank) in fits.items() if by_name}
    leading = snapshot.graph.fan_out([symbol.id for symbol in found])
    scored = [
        (symbol, score + _LEADS * (leading.get(symbol.id, 0) > 0) + _PUBLIC * symbol.is_public)
        for symbol, score in found.items()
    ]
    return sorted((each for each in scored if each[1] >= _LEAST), key=lambda each: -each[1])
