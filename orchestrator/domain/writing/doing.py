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


def told_by_doer(question: str, statement: Statement, doing: Sequence[Piece], definitions: Sequence[Piece]) -> bool:
    """Tell a statement of who does what a question wants to know how it is done, or of a page on what that is."""
    asked = how_done(question)
    if not doing or asked is None or statement.piece in doing:
        return True
    is_page = statement.piece not in definitions
    return is_page and asked.is_told_in(f"{statement.piece.evidence.title} {statement.text}")
