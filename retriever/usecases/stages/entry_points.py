"""Exploratory: finds where a flow starts, by the names in the question and by its ranking."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.context import Candidate, Context, Part, Task
from retriever.domain.evidence import Role
from retriever.domain.names import parse
from retriever.domain.values import EdgeKind, FactKind, Symbol, SymbolKind
from retriever.usecases.naming import closest, find_symbols, members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Judge, Snapshot

_ENTRIES = 3
_RELEVANT = 0.5
"""Ranked symbols with less than this share of the best score do not match the subject."""
_CONSIDERED = 15
_ROUTES = ("route", "command", "task")
"""Entry points that somebody outside of the code calls, by the first word of their facts."""
_KINDS = {SymbolKind.FUNCTION: 1, SymbolKind.METHOD: 2, SymbolKind.CLASS: 3}


class EntryPoints:
    """Adds the symbols that the question names, else ranked ones: routes, functions, methods, public ones first."""

    name = "entry_points"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Choose at most three entries."""
        found = await asyncio.to_thread(self._find, context, snapshot, task)
        return replace(context.with_candidates(self.name, found), ran=(*context.ran, "entry_points"))

    def _find(self, context: Context, snapshot: Snapshot, task: Task) -> list[Candidate]:
        named = [
            Candidate(symbol, Role.ENTRY, "named", "named in the question", 1.0)
            for symbol in _named(snapshot, task.anchors.symbols)
        ]
        best = context.ranking.symbols[0].score if context.ranking.symbols else 0.0
        relevant = [
            each
            for each in context.ranking.symbols[:_CONSIDERED]
            if each.score >= _RELEVANT * best and each.symbol.kind in _KINDS
        ]
        symbols = [each.symbol for each in relevant]
        facts = snapshot.facts.of([each.id for each in symbols], (FactKind.ENTRY_POINT,))
        routes = {fact.symbol_id for fact in facts if fact.value.startswith(_ROUTES)}
        reach = _reach(snapshot, symbols)
        position = {symbol.id: index for index, symbol in enumerate(symbols)}

        def order(symbol: Symbol) -> tuple[int, bool, int, int]:
            kind = 0 if symbol.id in routes else _KINDS[symbol.kind]
            return kind, not symbol.is_public, -reach[symbol.id], position[symbol.id]

        ranked = [
            Candidate(each, Role.ENTRY, "ranked", "a route" if each.id in routes else "matches the subject", 0.5)
            for each in sorted(symbols, key=order)
        ]
        return (named or ranked)[:_ENTRIES]


def _named(snapshot: Snapshot, names: Sequence[str]) -> list[Symbol]:
    """Return what each name means, if it means one thing; a class stands for its public methods' common entry."""
    found: list[Symbol] = []
    for written in names:
        name = parse(written)
        symbols = closest(find_symbols(snapshot, name), name) if name else ()
        if len(symbols) == 1:
            found.append(_constructor(snapshot, symbols[0]))
    return found


def _constructor(snapshot: Snapshot, symbol: Symbol) -> Symbol:
    """A class has no calls of its own: its flow starts where it can be called."""
    if symbol.kind != SymbolKind.CLASS:
        return symbol
    own = {each.name: each for each in members(snapshot, symbol)}
    return own.get("__call__") or own.get("__init__") or own.get("constructor") or symbol


def _reach(snapshot: Snapshot, symbols: Sequence[Symbol]) -> dict[int, int]:
    """Count for each symbol how many of the others it calls: who calls most of the subject stands at its start."""
    ids = [symbol.id for symbol in symbols]
    targets: dict[int, set[int]] = {each: set() for each in ids}
    for edge in snapshot.graph.outgoing(ids, (EdgeKind.CALL,)):
        if edge.target_id in targets and edge.target_id != edge.source_id:
            targets[edge.source_id].add(edge.target_id)
    return {each: len(found) for each, found in targets.items()}
