"""Adds to shown functions what their own lines do not tell: who calls them, and which subclasses have their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.values import EdgeKind, SymbolKind
from retriever.domain.views.listing import User
from retriever.usecases.locating.naming import symbols_by_id
from retriever.usecases.using.implementing import overriding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retriever.domain.evidence.piece import Evidence
    from retriever.domain.packing.lines import ShownLines
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_MOST_OVERRIDERS, _MOST_CALLERS = 4, 3
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


def with_neighbours(snapshot: Snapshot, evidence: Iterable[Evidence], shown: ShownLines) -> tuple[Evidence, ...]:
    """
    Return the evidence, each function with its callers and each method with what overrides it, without tests.

    Callers are told where they are at most three; of them those whose line is not shown.

    Args:
        shown: All lines that are shown, those of the evidence among them.
    """
    return tuple(_with_neighbours(snapshot, each, shown) for each in evidence)


def _with_neighbours(snapshot: Snapshot, piece: Evidence, shown: ShownLines) -> Evidence:
    symbol = piece.draft.symbol
    if not piece.lines or symbol is None or symbol.kind not in _FUNCTIONS or symbol.is_test:
        return piece
    callers = tuple(_callers(snapshot, symbol))
    told = tuple(each for each in callers if shown.missing(each.place.path, (each.place.start_line,)))
    is_method = symbol.kind == SymbolKind.METHOD
    over = [use.user for use in overriding(snapshot, symbol) if not use.user.is_test] if is_method else []
    found = replace(
        piece.draft,
        callers=told if len(callers) <= _MOST_CALLERS else (),
        overriders=tuple(over[:_MOST_OVERRIDERS]),
    )
    return replace(piece, draft=found)


def _callers(snapshot: Snapshot, symbol: Symbol) -> Iterator[User]:
    """Yield each other function, class or module that calls a function, with the first line where it does."""
    edges = snapshot.graph.incoming([symbol.id], (EdgeKind.CALL,))
    callers = symbols_by_id(snapshot, (each.source_id for each in edges))
    seen = {symbol.id}
    for edge in edges:
        caller = callers.get(edge.source_id)
        if caller and not caller.is_test and caller.id not in seen:
            seen.add(caller.id)
            yield User(caller.qualified_name or caller.path, caller, Span(caller.path, edge.line, edge.line))
