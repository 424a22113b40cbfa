"""Diagnostic: walks from error sites back to their callers; callers that change state come first."""

from __future__ import annotations

import asyncio
from itertools import takewhile
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, BasisKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import EdgeKind, FactKind, SymbolKind
from retriever.usecases.locating.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.values import Edge, Symbol
    from retriever.ports import Judge, Snapshot


_CONSIDERED = 60
"""Calls of one symbol that are looked at."""
_FRONTIER = 12
"""Symbols of one hop whose callers are looked up: no more than a few are ever shown."""


class Callers:
    """Adds callers of the error sites, hop by hop."""

    name = "callers"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Follow callers back within the limits of callers per symbol and of hops."""
        found = await asyncio.to_thread(self._walk, context, snapshot, task)
        return context.with_candidates(self.name, found).with_step("call_graph")

    def _walk(self, context: Context, snapshot: Snapshot, task: Task) -> list[Candidate]:
        rank = context.ranking.places()
        frontier = [each.symbol for each in context.candidates if each.role == EvidenceRole.ERROR_SITE]
        seen = {symbol.id for symbol in frontier}
        found: list[Candidate] = []
        for hop in range(1, task.limits.hops + 1):
            level = self._hop(snapshot, task, frontier, rank, hop)
            level = [each for each in level if each.symbol.id not in seen]
            seen.update(each.symbol.id for each in level)
            found += level
            frontier = [each.symbol for each in level[:_FRONTIER]]
            if not frontier:
                break
        return found

    def _hop(
        self, snapshot: Snapshot, task: Task, frontier: Sequence[Symbol], rank: dict[int, int], hop: int
    ) -> list[Candidate]:
        edges = _nearest(snapshot.graph.incoming([symbol.id for symbol in frontier], (EdgeKind.CALL,)), rank)
        callers = symbols_by_id(snapshot, (edge.source_id for own in edges.values() for edge in own))
        mutators = {
            fact.symbol_id
            for fact in snapshot.facts.of(list(callers), (FactKind.MUTATES,))
            if callers[fact.symbol_id].kind != SymbolKind.MODULE  # it is one-time setup
        }
        found: list[Candidate] = []
        for symbol in frontier:
            own = [edge for edge in edges.get(symbol.id, ()) if not callers[edge.source_id].is_test]

            def order(edge: Edge, path: str = symbol.path) -> tuple[bool, int, float, int, str, int]:
                caller = callers[edge.source_id]
                quiet = task.limits.mutators_first and caller.id not in mutators
                near = _nearness(caller.path, path)
                return quiet, rank.get(caller.id, len(rank)), -edge.confidence, -near, caller.path, edge.line

            chosen: dict[int, Edge] = {}
            for edge in sorted(own, key=order):
                chosen.setdefault(edge.source_id, edge)
            for edge in list(chosen.values())[: task.limits.callers_per_hop]:
                caller = callers[edge.source_id]
                role = EvidenceRole.MUTATOR if caller.id in mutators else EvidenceRole.CALLER
                reason = f"calls {symbol.qualified_name}" + (
                    " and changes state" if role == EvidenceRole.MUTATOR else ""
                )
                basis = Basis(BasisKind.CALLS, symbol.qualified_name, line=edge.line)
                step, score = f"callers hop {hop}", edge.confidence / hop
                found.append(Candidate(caller, role, step, reason, score, (edge.line,), basis))
        return found


def _nearness(path: str, other: str) -> int:
    """Count the folders that two files have in common: an example of the use lies further away than the code."""
    both = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))


def _nearest(edges: Sequence[Edge], rank: Mapping[int, int]) -> dict[int, list[Edge]]:
    """Group edges by target; of a symbol that half the code calls, keep the ranked and the surest ones."""
    found: dict[int, list[Edge]] = {}
    for edge in sorted(edges, key=lambda each: (rank.get(each.source_id, len(rank)), -each.confidence)):
        own = found.setdefault(edge.target_id or 0, [])
        if len(own) < _CONSIDERED:
            own.append(edge)
    return found
