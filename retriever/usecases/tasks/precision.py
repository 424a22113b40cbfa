"""Sorts the symbols of the files in scope: what will be changed, what is needed to understand it, and shapes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.tasks.context import Candidate, decide, first_of_each
from retriever.domain.tasks.task import ContextRole, ContextTier, Gathered, Pick, TaskContext, is_definition
from retriever.domain.values import EdgeKind, SymbolKind
from retriever.usecases.locating.naming import symbols_by_id
from retriever.usecases.tasks.companions import companions
from retriever.usecases.tasks.judged import file_candidate, judged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_OFFERED = 60
"""Most symbols of one class that the judge is shown."""
_KEPT: Mapping[ContextRole, int] = {ContextRole.PRIMARY: 12, ContextRole.SUPPORTING: 20, ContextRole.TYPE: 10}
_BESIDE_NAMED = 8
"""If the task names symbols, how many matches of its words count as well."""
_USES = (EdgeKind.CALL, EdgeKind.REFERENCES)


class Precision:
    """Sorts into primary, supporting, type and excluded; then picks up tests and reasons of the primary symbols."""

    name = "precision"

    async def run(self, gathered: Gathered, snapshot: Snapshot, task: TaskContext, judge: Judge) -> Gathered:
        """Sort class by class; a symbol stays in the first class that takes it."""
        gathered = replace(gathered, picks=gathered.picks or ())
        primaries = await asyncio.to_thread(_primaries, snapshot, gathered)
        gathered, chosen = await self._sorted(gathered, task, judge, ContextRole.PRIMARY, primaries)
        for role, finder in ((ContextRole.TYPE, _shapes), (ContextRole.SUPPORTING, _supports)):
            found = await asyncio.to_thread(finder, snapshot, gathered, chosen)
            gathered, _ = await self._sorted(gathered, task, judge, role, found)
        gathered = await asyncio.to_thread(companions, self.name, snapshot, gathered, chosen)
        return await asyncio.to_thread(self._with_excluded, snapshot, gathered)

    async def _sorted(
        self,
        gathered: Gathered,
        task: TaskContext,
        judge: Judge,
        role: ContextRole,
        found: Iterable[Candidate],
    ) -> tuple[Gathered, list[Symbol]]:
        taken = {pick.symbol_id for pick in gathered.picks or ()}
        offered = [each for each in first_of_each(found) if each.symbol.id not in taken][:_OFFERED]
        verdict = await judged(judge, self.name, task, offered, _KEPT[role])
        kept = [offered[position] for position in verdict.kept]
        tiers = {each.path: each.tier for each in gathered.files}
        picks = [
            Pick(each.symbol.id, role, tiers.get(each.symbol.path, ContextTier.SEED), each.reason, each.score)
            for each in kept
        ]
        gathered = replace(gathered, picks=(*(gathered.picks or ()), *picks)).with_decisions(verdict.decisions)
        return gathered, [each.symbol for each in kept]

    def _with_excluded(self, snapshot: Snapshot, gathered: Gathered) -> Gathered:
        spoken_for = {(each.subject, each.qualified_name) for each in gathered.decisions if each.stage == self.name}
        return gathered.with_decisions(
            decide(
                self.name,
                "excluded",
                symbol.span,
                "no edge to a primary symbol, and no mention",
                name=symbol.qualified_name,
                included=False,
            )
            for file in gathered.files
            for symbol in snapshot.symbols.in_file(file.path)
            if is_definition(symbol) and (symbol.span, symbol.qualified_name) not in spoken_for
        )


def _primaries(snapshot: Snapshot, gathered: Gathered) -> list[Candidate]:
    """Return mentioned symbols, then those of seed files in the order of the ranking; a class yields to its methods."""
    seeds = {each.path for each in gathered.files if each.tier == ContextTier.SEED}
    mentioned = [each for each in snapshot.symbols.get(gathered.mentioned) if is_definition(each)]
    named = _without_holders(mentioned, mentioned)
    ranked = [each for each in snapshot.symbols.get(gathered.ranked) if each.path in seeds and not each.is_test]
    shown = {each.id for each in named}
    kept = [each for each in _without_holders(ranked, (*mentioned, *ranked)) if each.parent_id not in shown]
    if named:
        kept = kept[:_BESIDE_NAMED]
    texts = [file for path in sorted(seeds) if (file := snapshot.files.at(path)) and not snapshot.symbols.in_file(path)]
    found = [Candidate(each, EvidenceRole.MATCH, "primary", "mentioned in the task", 1.0) for each in named]
    found += [file_candidate(file, "primary", "mentioned in the task", 1.0) for file in texts]
    found += [
        Candidate(each, EvidenceRole.MATCH, "primary", "matches the task's words", 1 / (2 + n))
        for n, each in enumerate(kept)
    ]
    return found


def _without_holders(symbols: Sequence[Symbol], members: Sequence[Symbol]) -> list[Symbol]:
    """Leave out those of the symbols that one of the members is in."""
    holders = {each.parent_id for each in members}
    return [each for each in symbols if each.id not in holders]


def _shapes(snapshot: Snapshot, gathered: Gathered, primaries: Sequence[Symbol]) -> Iterator[Candidate]:
    """Yield bases of primary classes, classes that hold primary methods, and classes that primary symbols use."""
    names = {symbol.id: symbol.qualified_name for symbol in primaries}
    scope = {each.path for each in gathered.files}
    first_in: dict[int, str] = {}
    for each in primaries:
        if each.parent_id is not None:
            first_in.setdefault(each.parent_id, each.qualified_name)
    for holder in snapshot.symbols.get(list(first_in)):
        if holder.kind == SymbolKind.CLASS:
            names[holder.id] = holder.qualified_name
            yield Candidate(holder, EvidenceRole.MATCH, "type", f"holds {first_in[holder.id]}", 1.0)
    for kinds, verb in (((EdgeKind.INHERITS,), "inherited by"), (_USES, "used by")):
        edges = [edge for edge in snapshot.graph.outgoing(list(names), kinds) if edge.target_id is not None]
        targets = symbols_by_id(snapshot, (edge.target_id for edge in edges))
        for edge in edges:
            target = targets[edge.target_id or 0]
            if target.kind == SymbolKind.CLASS and not target.is_test and target.path in scope:
                yield Candidate(target, EvidenceRole.MATCH, "type", f"{verb} {names[edge.source_id]}", edge.confidence)


def _supports(snapshot: Snapshot, gathered: Gathered, primaries: Sequence[Symbol]) -> Iterator[Candidate]:
    """Yield callees, then callers of the primary symbols, as far as their files are in scope."""
    names = {symbol.id: symbol.qualified_name for symbol in primaries}
    scope = {each.path for each in gathered.files}
    out = [edge for edge in snapshot.graph.outgoing(list(names), (EdgeKind.CALL,)) if edge.target_id is not None]
    back = snapshot.graph.incoming(list(names), (EdgeKind.CALL,))
    ends = [(edge.target_id or 0, f"called by {names[edge.source_id]}", edge.confidence) for edge in out]
    ends += [(edge.source_id, f"calls {names[edge.target_id or 0]}", edge.confidence) for edge in back]
    symbols = symbols_by_id(snapshot, (end for end, _, _ in ends))
    for end, relation, confidence in ends:
        symbol = symbols[end]
        if is_definition(symbol) and not symbol.is_test and symbol.path in scope:
            yield Candidate(symbol, EvidenceRole.MATCH, "supporting", relation, confidence)
