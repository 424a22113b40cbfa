"""Adds to shown functions what their own lines do not show: their callers, and the methods that override them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.values import EdgeKind, SymbolKind
from retriever.domain.views.listing import User
from retriever.usecases.locating.naming import symbols_by_id
from retriever.usecases.using.implementing import overriding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retriever.domain.evidence.piece import Evidence
    from retriever.domain.packing.lines import ShownLines
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_MOST_OVERRIDERS, _MOST_CALLERS = 4, 3
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


def with_neighbours(snapshot: Snapshot, evidence: Sequence[Evidence], shown: ShownLines) -> tuple[Evidence, ...]:
    """
    Return the evidence, each function with its callers and each method with its overriding methods, without tests.

    Callers are added only if a function has at most three, and then only those whose line is not shown. Methods of
    structural interfaces get no overriding methods: their implementing types do not declare the interface.

    Args:
        shown: All lines that are shown, those of the evidence among them.
    """
    functions = {symbol.id: symbol for each in evidence if (symbol := _function_of(each))}
    callers = _callers(snapshot, tuple(functions))
    over = _overriders(snapshot, functions.values())

    def told(piece: Evidence) -> Evidence:
        symbol = _function_of(piece)
        calling, overriders = (callers.get(symbol.id, ()), over.get(symbol.id, ())) if symbol else ((), ())
        if not (calling or overriders):
            return piece
        unseen = tuple(each for each in calling if shown.missing(each.place.path, (each.place.start_line,)))
        known = unseen if len(calling) <= _MOST_CALLERS else ()
        return replace(piece, draft=replace(piece.draft, callers=known, overriders=overriders[:_MOST_OVERRIDERS]))

    return tuple(map(told, evidence))


def _function_of(piece: Evidence) -> Symbol | None:
    symbol = piece.draft.symbol if piece.lines else None
    return symbol if symbol and symbol.kind in _FUNCTIONS and not symbol.is_test else None


def _callers(snapshot: Snapshot, functions: Sequence[int]) -> Mapping[int, tuple[User, ...]]:
    """Return each other function, class or module that calls a function, with the first line where it does."""
    edges = snapshot.graph.incoming(functions, (EdgeKind.CALL,)) if functions else ()
    symbols = symbols_by_id(snapshot, (each.source_id for each in edges))
    found: dict[int, dict[int, User]] = defaultdict(dict)
    for edge in edges:
        caller = symbols.get(edge.source_id)
        if caller and edge.target_id is not None and not caller.is_test and caller.id != edge.target_id:
            user = User(caller.qualified_name or caller.path, caller, Span(caller.path, edge.line, edge.line))
            found[edge.target_id].setdefault(caller.id, user)
    return {target: tuple(users.values()) for target, users in found.items()}


def _overriders(snapshot: Snapshot, functions: Iterable[Symbol]) -> Mapping[int, tuple[Symbol, ...]]:
    methods = {each.id: each for each in functions if each.kind == SymbolKind.METHOD and each.parent_id is not None}
    owners = list(dict.fromkeys(each.parent_id for each in methods.values() if each.parent_id is not None))
    inherited = {each.target_id for each in snapshot.graph.incoming(owners, (EdgeKind.INHERITS,))} if owners else set()
    return {
        each.id: tuple(use.user for use in overriding(snapshot, each) if not use.user.is_test)
        for each in methods.values()
        if each.parent_id in inherited
    }
