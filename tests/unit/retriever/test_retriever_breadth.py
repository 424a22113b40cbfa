"""Breadth: every one of the best files speaks before any speaks twice."""

from __future__ import annotations

from retriever.domain.breadth import breadth_first, leaders
from retriever.domain.question import RankedFile, RankedSymbol, Ranking
from retriever.domain.values import File, Symbol, SymbolKind


def _ranking(files: str, symbols: str) -> Ranking:
    """Rank files by their letters, and symbols by letters that name their file and a digit."""
    return Ranking(
        files=tuple(RankedFile(_file(path), 1.0) for path in files),
        symbols=tuple(RankedSymbol(_symbol(number, name), 1.0) for number, name in enumerate(symbols.split())),
    )


def _file(path: str) -> File:
    return File(1, path, "python", path, 9, is_test=False)


def _symbol(number: int, name: str) -> Symbol:
    path = name[0]
    return Symbol(number, 1, None, SymbolKind.FUNCTION, path, path, "python", False, name, name, 1, 2, "", "")


def _names(found: tuple[RankedSymbol, ...]) -> list[str]:
    return [each.symbol.name for each in found]


def test_leaders_are_the_best_symbols_in_the_order_of_their_files() -> None:
    """The order of files wins over that of symbols; a file without a ranked symbol has no leader."""
    ranking = _ranking("abcd", "b1 a1 b2 a2 d1")

    assert _names(leaders(ranking, 4)) == ["a1", "b1", "d1"]


def test_only_the_best_files_have_leaders() -> None:
    """Of the first two files, whatever symbols of others score."""
    assert _names(leaders(_ranking("abc", "c1 b1 a1"), 2)) == ["a1", "b1"]


def test_depth_comes_after_breadth() -> None:
    """The leaders, then every other symbol once and in its own order."""
    assert _names(breadth_first(_ranking("abc", "a1 a2 a3 b1 c1 b2"), 2)) == ["a1", "b1", "a2", "a3", "c1", "b2"]


def test_without_files_the_order_of_symbols_holds() -> None:
    """As when no file may lead."""
    assert _names(breadth_first(_ranking("ab", "b1 a1 b2"), 0)) == ["b1", "a1", "b2"]
