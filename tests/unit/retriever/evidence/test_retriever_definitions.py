"""Several symbols of one definition: which is shown, and that all of them stand where it is ranked."""

from __future__ import annotations

import pytest

from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.questions.question import RankedSymbol, Ranking
from retriever.domain.values import Symbol, SymbolKind


def _symbol(number: int, lines: int, *decorators: str, name: str = "Crate.volume") -> Symbol:
    """Return a symbol with so many lines."""
    start = number * 100
    kind, end = SymbolKind.METHOD, start + lines - 1
    return Symbol(
        number, 1, None, kind, "a.py", "a", "python", False, name, name, start, end, "", "", tuple(decorators)
    )


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ([_symbol(1, 1), _symbol(2, 1), _symbol(3, 8)], 3),
        ([_symbol(1, 9, "overload"), _symbol(2, 9, "t.overload"), _symbol(3, 2)], 3),
        ([_symbol(1, 2, "overload"), _symbol(2, 2, "overload")], 1),
        ([_symbol(2, 5, "volume.setter"), _symbol(1, 4, "property")], 2),
        ([_symbol(1, 4, "property"), _symbol(2, 5, "volume.setter")], 1),
        ([_symbol(1, 2), _symbol(2, 20)], 2),
    ],
)
def test_what_has_a_body_worth_showing_stands_for_a_definition(given: list[Symbol], shown: int) -> None:
    """Overloads do only where there is nothing else; of accessors that do about as much the first one does."""
    symbol, others = shown_of(given)

    assert symbol.id == shown
    assert sorted((symbol.id, *others)) == sorted(each.id for each in given)


def test_symbols_of_one_file_and_name_are_one_definition() -> None:
    """In the order in which they were given."""
    given = [_symbol(1, 2), _symbol(2, 2, name="Crate.weight"), _symbol(3, 2)]

    assert [[each.id for each in group] for group in grouped_by_name(given)] == [[1, 3], [2]]


def test_all_symbols_of_a_definition_stand_where_it_is_ranked() -> None:
    """Whoever meets one that is not shown, as by a call, knows that the question speaks for it."""
    ranking = Ranking(
        symbols=(
            RankedSymbol(_symbol(3, 8), 1.0, others=(1, 2)),
            RankedSymbol(_symbol(4, 8, name="Crate.weight"), 0.5),
        )
    )

    assert ranking.places() == {3: 0, 1: 0, 2: 0, 4: 1}
