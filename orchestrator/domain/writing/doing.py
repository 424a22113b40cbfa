"""Who does what a question wants to know how it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.deeds import how_done
from orchestrator.domain.evidence import SymbolKind
from orchestrator.domain.writing.statements import is_aside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.writing.pieces import Piece
    from orchestrator.domain.writing.statements import Statement

_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_HALF = 0.5


def doers(question: str, definitions: Sequence[Piece]) -> tuple[Piece, ...]:
    """
    Return the functions that do what a question wants to know how it is done, by their names, those with most first.

    Their own name is the deed, and with what they belong to it tells half of what it is done to. Equals stay in order.
    """
    asked = how_done(question)
    if asked is None:
        return ()
    share: dict[Piece, float] = {}
    for each in definitions:
        symbol = each.evidence.symbol
        if symbol and symbol.kind in _CALLED and not is_aside(symbol.path):
            share[each] = asked.is_done_by(symbol.qualified_name)
    return tuple(sorted((each for each in share if share[each] >= _HALF), key=lambda each: -share[each]))


def tells_way(question: str, page: Statement) -> bool:
    """Tell a statement of a page that speaks of all that it is done to; any, where the question asks for no way."""
    asked = how_done(question)
    return asked is None or asked.is_told_in(f"{page.piece.evidence.title} {page.text}")
