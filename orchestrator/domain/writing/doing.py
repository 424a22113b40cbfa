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
_MEMBER = 0.1
"""What counts a member of who does it that is called like the deed, whatever it is done to."""


def says_how(question: str, told: str) -> bool:
    """Tell words of a question that say how, where or when something is done, from those that describe what does it."""
    before = question.partition(told)[0].rstrip().lower()
    return before.endswith(("how", "where", "when", "once", "if", "after", "as soon as"))


def doers(question: str, definitions: Sequence[Piece], *, is_named: bool) -> tuple[Piece, ...]:
    """
    Return the functions that do what a question wants to know how it is done, by their names, the plainest first.

    Their own name is the deed, and with what they belong to it tells half of what it is done to, or all where the
    question names things. Only those are kept that tell most of it; where none does, a member of who does it that is
    called like the deed may be one. Where it is asked how something is decided, who says so does it. Equals stay in
    order.
    """
    asked = how_done(question)
    if asked is None or (is_named and not asked.who):
        return ()
    share: dict[Piece, float] = {}
    for each in definitions:
        symbol = each.evidence.symbol
        if symbol and symbol.kind in _CALLED and not (symbol.made or is_aside(symbol.path)):
            is_own = asked.is_of_doer(symbol.qualified_name)
            # Where a type is named, what another one is called says nothing of it.
            share[each] = asked.is_done_by(symbol.name if is_named and not is_own else symbol.qualified_name)
            share[each] = max(share[each], _MEMBER * is_own)
            if asked.is_decided and not asked.tells_it(symbol.qualified_name):
                share[each] = 0.0
    least = max((1.0 if is_named else _HALF, *share.values()))
    found = [each for each in share if share[each] >= least] or [each for each in share if share[each] == _MEMBER]
    return tuple(sorted(found, key=lambda each: asked.says_besides(_name(each))))


def _name(piece: Piece) -> str:
    return piece.evidence.symbol.qualified_name if piece.evidence.symbol else ""


def told_by_doer(question: str, statement: Statement, doing: Sequence[Piece], definitions: Sequence[Piece]) -> bool:
    """Tell a statement of who does what a question wants to know how it is done, or of a page on what that is."""
    asked = how_done(question)
    if not doing or asked is None or statement.piece in doing:
        return True
    is_page = statement.piece not in definitions
    return is_page and asked.is_told_in(f"{statement.piece.evidence.title} {statement.text}")
