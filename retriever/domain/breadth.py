"""Spreads a ranking over its files, so that several matches of one file do not hide those of the next ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.domain.question import RankedSymbol, Ranking


def leaders(ranking: Ranking, files: int) -> tuple[RankedSymbol, ...]:
    """Return the best symbol of each of the best files, in the order of the files; a file without one is left out."""
    best: dict[str, RankedSymbol] = {}
    for each in ranking.symbols:
        best.setdefault(each.symbol.path, each)
    paths = (each.file.path for each in ranking.files[:files])
    return tuple(best[path] for path in paths if path in best)


def breadth_first(ranking: Ranking, files: int) -> tuple[RankedSymbol, ...]:
    """Return all ranked symbols: the leaders of the best files, then the others in their order."""
    first = leaders(ranking, files)
    led = {each.symbol.id for each in first}
    return (*first, *(each for each in ranking.symbols if each.symbol.id not in led))
