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

    from retriever.domain.question import Ranking
    from retriever.ports import Judge, Snapshot

_ENTRIES = 3
_RELEVANT = 0.2
"""Ranked symbols with less than this share of the best score do not match the subject."""
_CONSIDERED = 20
_ROUTES = ("route", "command", "task")
"""Entry points that somebody outside of the code calls, by the first word of their facts."""
_ROUTE_WEIGHT = 1.5
_KINDS = {SymbolKind.FUNCTION: 1, SymbolKind.METHOD: 2, SymbolKind.CLASS: 3}


class EntryPoints:
    """
    Adds the symbols that the question names, else ranked ones.

    Who calls other matches comes before them, for a flow starts above its steps, and a route counts for more. Ties
    go to functions before methods, then to public ones.
    """

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
        return (named or _ranked(snapshot, context.ranking))[:_ENTRIES]


def _ranked(snapshot: Snapshot, ranking: Ranking) -> list[Candidate]:
    """
    Order the matches, and those who call several of them, by how much of the subject a flow from them shows.

    That is their own score and those of the matches that they call. A flow that would tell the same story as one
    before it is left out.
    """
    best = ranking.symbols[0].score if ranking.symbols else 0.0
    score = {
        each.symbol.id: each.score
        for each in ranking.symbols[:_CONSIDERED]
        if each.score >= _RELEVANT * best and each.symbol.kind in _KINDS
    }
    callees = _matches_called(snapshot, list(score))
    entries = [each for each in snapshot.symbols.get(list(callees)) if not each.is_test and each.kind in _KINDS]
    facts = snapshot.facts.of([each.id for each in entries], (FactKind.ENTRY_POINT,))
    routes = {fact.symbol_id for fact in facts if fact.value.startswith(_ROUTES)}

    def order(symbol: Symbol) -> tuple[float, int, bool, str, int]:
        shown = score.get(symbol.id, 0.0) + sum(score[callee] for callee in callees[symbol.id])
        weight = shown * (_ROUTE_WEIGHT if symbol.id in routes else 1.0)
        return -weight, _KINDS[symbol.kind], not symbol.is_public, symbol.path, symbol.start_line

    chosen: list[Candidate] = []
    told: set[int] = set()
    for each in sorted(entries, key=order):
        story = {each.id, *callees[each.id]}
        if story & told:
            continue
        told |= story
        reason = "a route" if each.id in routes else "matches the subject"
        chosen.append(Candidate(each, Role.ENTRY, "ranked", reason, 0.5))
    return chosen


def _matches_called(snapshot: Snapshot, matches: Sequence[int]) -> dict[int, set[int]]:
    """Map the matches, and each caller of at least two of them, to the matches that it calls."""
    callees: dict[int, set[int]] = {each: set() for each in matches}
    for edge in snapshot.graph.incoming(matches, (EdgeKind.CALL,)):
        if edge.target_id is not None and edge.target_id != edge.source_id:
            callees.setdefault(edge.source_id, set()).add(edge.target_id)
    return {each: called for each, called in callees.items() if each in matches or len(called) > 1}


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
