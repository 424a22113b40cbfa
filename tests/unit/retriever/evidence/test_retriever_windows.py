"""Which lines of a definition share most with a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common.core.words.terms import count_terms
from retriever.domain.packing.windows import LINES, ReadLines

if TYPE_CHECKING:
    from collections.abc import Mapping

_BODY = ["def lend(sum):", '    """Lend money to a debtor."""', *["    step()"] * 8]
_TOLD = "Lend money to a debtor."
_WEIGHTS = {
    term: weight for word, weight in (("debtor", 0.5), ("broke", 0.3), ("money", 0.2)) for term in count_terms(word)
}


def _window(*lines: str, at: int = 6, weights: Mapping[str, float] = _WEIGHTS) -> tuple[int, float]:
    text = [*_BODY[:at], *lines, *_BODY[at:]]
    found = ReadLines.of(text, _TOLD, frozenset()).window(weights)
    return found.at, found.share


@pytest.mark.parametrize("at", [2, 5, 9])
def test_the_window_has_the_lines_with_the_terms(at: int) -> None:
    """Wherever in the definition they stand."""
    first, _ = _window("    if debtor.is_broke:", "        raise NoMoney", at=at)

    assert first <= at < at + 1 < first + LINES


def test_neither_declaration_nor_documentation_are_lines_that_decide() -> None:
    """They are told anyway; but their terms count for the definition wherever its window is."""
    at, share = _window("    if broke:", at=9)

    assert at > 2
    assert share > 1.0


def test_lines_that_have_a_term_themselves_go_before_those_whose_definition_has_it() -> None:
    """The name may say all there is, and then any lines would do."""
    text = [*_BODY, "    if broke:", "        return debtor"]
    found = ReadLines.of(text, _TOLD, frozenset(_WEIGHTS)).window(_WEIGHTS)

    assert found.at + LINES == len(text)


def test_a_definition_of_one_line_is_its_window() -> None:
    """There is nothing else to show."""
    found = ReadLines.of(["def debtor(): ..."], "", frozenset()).window(_WEIGHTS)

    assert found.at == 0
    assert found.share > 0.5
