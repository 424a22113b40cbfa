"""Adds companions of the primary symbols: tests that assert on them, and comments that give reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.tasks.context import decide
from retriever.domain.tasks.task import ContextRole, ContextTier, Gathered, Note, Pick
from retriever.domain.values import EdgeKind, FactKind
from retriever.usecases.locating.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.evidence.piece import Decision
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_TESTS = 6
_REASONS = 10


def companions(stage: str, snapshot: Snapshot, gathered: Gathered, primaries: Sequence[Symbol]) -> Gathered:
    """Add tests that call a primary symbol and assert something, and rationale comments of primary symbols."""
    found = [*_tests(snapshot, primaries), *_reasons(snapshot, primaries)]
    room = {ContextTier.TEST: _TESTS, ContextTier.RATIONALE: _REASONS}
    picks: list[Pick] = []
    decisions: list[Decision] = []
    for symbol, pick in found:
        kept = room[pick.tier] > 0
        room[pick.tier] -= 1
        place = symbol.span if pick.tier == ContextTier.TEST else note_span(symbol, pick)
        reason = pick.relation if kept else f"enough of this tier; {pick.relation}"
        decisions.append(decide(stage, pick.tier.value, place, reason, name=symbol.qualified_name, included=kept))
        if kept:
            picks.append(pick)
    return replace(gathered, picks=(*(gathered.picks or ()), *picks)).with_decisions(decisions)


def test_pick(snapshot: Snapshot, test: Symbol, relation: str) -> Pick:
    """Make a pick of a test: its assertions are shown, in order of line."""
    facts = snapshot.facts.of((test.id,), (FactKind.ASSERTION,))
    notes = tuple(Note(fact.line, fact.value) for fact in facts)
    return Pick(test.id, ContextRole.SUPPORTING, ContextTier.TEST, relation, notes=notes)


def note_span(symbol: Symbol, pick: Pick) -> Span:
    """Return the line of a pick's first note."""
    return Span(symbol.path, pick.notes[0].line, pick.notes[0].line)


def _tests(snapshot: Snapshot, primaries: Sequence[Symbol]) -> Iterable[tuple[Symbol, Pick]]:
    names = {symbol.id: symbol.qualified_name for symbol in primaries}
    edges = snapshot.graph.incoming(list(names), (EdgeKind.CALL,))
    callers = symbols_by_id(snapshot, (edge.source_id for edge in edges))
    seen: set[int] = set()
    for edge in edges:
        caller = callers[edge.source_id]
        if caller.is_test and caller.id not in seen:
            seen.add(caller.id)
            pick = test_pick(snapshot, caller, f"asserts on {names[edge.target_id or 0]}")
            if pick.notes:
                yield caller, pick


def _reasons(snapshot: Snapshot, primaries: Sequence[Symbol]) -> Iterable[tuple[Symbol, Pick]]:
    by_id = {symbol.id: symbol for symbol in primaries}
    for fact in snapshot.facts.of(list(by_id), (FactKind.RATIONALE,)):
        symbol = by_id[fact.symbol_id]
        relation = f"says why in {symbol.qualified_name}"
        note = (Note(fact.line, fact.value),)
        yield symbol, Pick(symbol.id, ContextRole.SUPPORTING, ContextTier.RATIONALE, relation, notes=note)
