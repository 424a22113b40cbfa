"""Finds the functions that do what a question wants to know how it is done."""

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
"""What it is worth to match best, to call something, and to be public, beside a name that says all (up to 3.8)."""
_LEAST = 1.2
SUREST = 4.9
"""What speaks for a function at most."""


def doers(snapshot: Snapshot, ranking: Ranking, process: Process) -> list[tuple[Symbol, float]]:
    """
    Return functions that match and whose names say what is done, the plainest first, each with what speaks for it.

    That is between 1.2 and SUREST; ties stay in order of the ranking. Tests and what only shows the use of code are no
    doers.
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
