"""What a description means, and what it only mentions."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import GapOutcome
from retriever.domain.tasks.gaps import Match
from retriever.domain.values import Symbol, SymbolKind
from retriever.usecases.gaps.by_meaning import _with_mention


def _symbol(name: str) -> Symbol:
    number = ord(name)
    return Symbol(number, 1, None, SymbolKind.FUNCTION, "a.py", "a", "python", False, name, name, 1, 2, "", "")


@pytest.mark.parametrize(
    ("found", "limit", "expected"),
    [("abc", 3, "abm"), ("ab", 3, "abm"), ("am", 3, "am"), ("a", 1, "a"), ("mab", 3, "mab")],
)
def test_what_is_mentioned_is_one_of_those_found_and_never_the_best(found: str, limit: int, expected: str) -> None:
    """It takes the last place if it has none of its own; where there is one place, the best keeps it."""
    named = Match(GapOutcome.RESOLVED, "symbol", "", (_symbol("m"),))

    shown = _with_mention([_symbol(name) for name in found], named, limit)

    assert "".join(symbol.name for symbol in shown) == expected


def test_a_mention_that_means_several_things_is_none() -> None:
    """Nobody knows which of them belongs here."""
    named = Match(GapOutcome.AMBIGUOUS, "symbol", "", (_symbol("m"), _symbol("n")))

    assert [each.name for each in _with_mention([_symbol("a")], named, 3)] == ["a"]
