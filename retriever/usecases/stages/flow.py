"""Exploratory: follows the calls forward from each entry and draws them as a tree."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retriever.domain.context import Candidate, Context, Part, Task
from retriever.domain.evidence import ContextSource, Draft, EvidenceKind, Role
from retriever.domain.flow import FlowNode, render
from retriever.domain.values import Edge, EdgeKind, Resolution, Symbol
from retriever.usecases.drafting import title_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.ports import Judge, Snapshot

_EXTERNALS = 3
"""Calls that leave the repository and are shown below one step."""
_BRANCHES_FROM = 3
_NODES = 60
"""Steps of one tree; a flow of more is no longer read as a flow."""


class Flow:
    """Adds a tree for each entry, and its pivotal steps: where it branches and where it ends."""

    name = "flow"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Walk, draw, and name the pivotal steps."""
        entries = [each.symbol for each in context.candidates if each.role == Role.ENTRY]
        rank = {each.symbol.id: position for position, each in enumerate(context.ranking.symbols)}
        trees = await asyncio.to_thread(lambda: [_tree(snapshot, task, entry, rank) for entry in entries])
        drawn = [tree for tree in trees if tree.children]
        context = context.with_drafts([_draft(tree) for tree in drawn])
        pivotal = [candidate for tree in drawn for candidate in _pivotal(tree, rank)]
        return replace(context.with_candidates(self.name, pivotal), ran=(*context.ran, "call_graph"))


@dataclass(slots=True)
class _Level:
    """Calls of all symbols that were met, read hop by hop so that each hop is one query."""

    edges: dict[int, list[Edge]]
    symbols: dict[int, Symbol]


def _tree(snapshot: Snapshot, task: Task, entry: Symbol, rank: Mapping[int, int]) -> FlowNode:
    known = _Level({}, {entry.id: entry})
    frontier = [entry.id]
    for _ in range(task.limits.hops):
        edges = snapshot.graph.outgoing(frontier, (EdgeKind.CALL,))
        for each in frontier:
            own = [edge for edge in edges if edge.source_id == each]
            known.edges[each] = _chosen(own, rank, task.limits.callees_per_hop)
        targets = [e.target_id for each in frontier for e in known.edges[each] if e.target_id is not None]
        frontier = [each for each in dict.fromkeys(targets) if each not in known.symbols][:_NODES]
        met = [each for each in snapshot.symbols.get(frontier) if entry.is_test or not each.is_test]
        known.symbols.update({symbol.id: symbol for symbol in met})
        frontier = [symbol.id for symbol in met]
        if not frontier:
            break
    return _Painter(known).node(entry, 0, ())


def _chosen(edges: Sequence[Edge], rank: Mapping[int, int], limit: int) -> list[Edge]:
    """Keep the callees that matter most (ranked ones, then the surest), back in the order of their lines."""
    inside = list({edge.target_id: edge for edge in reversed(edges) if edge.target_id is not None}.values())
    inside.sort(key=lambda edge: (rank.get(edge.target_id or 0, len(rank)), -edge.confidence, edge.line))
    outside = {edge.target_name: edge for edge in reversed(edges) if edge.resolution == Resolution.EXTERNAL}
    telling = [
        edge for name, edge in outside.items() if "." in name and not name.startswith(("builtins.", "<builtin>"))
    ]
    kept = inside[:limit] + sorted(telling, key=lambda edge: edge.line)[:_EXTERNALS]
    return sorted(kept, key=lambda edge: edge.line)


class _Painter:
    """Unfolds the known calls into a tree: each symbol is expanded once, and never below itself."""

    def __init__(self, known: _Level) -> None:
        self._known = known
        self._expanded: set[int] = set()

    def node(self, symbol: Symbol, line: int, above: tuple[int, ...]) -> FlowNode:
        name = symbol.qualified_name or symbol.module
        if symbol.id in above or symbol.id in self._expanded:
            return FlowNode(name, symbol, line, repeats=True, cycle=symbol.id in above)
        self._expanded.add(symbol.id)
        if len(self._expanded) > _NODES:
            return FlowNode(name, symbol, line)
        children: list[FlowNode] = []
        for edge in self._known.edges.get(symbol.id, ()):
            callee = self._known.symbols.get(edge.target_id) if edge.target_id is not None else None
            if callee:
                children.append(self.node(callee, edge.line, (*above, symbol.id)))
            elif edge.target_id is None:
                children.append(FlowNode(edge.target_name, line=edge.line))
        return FlowNode(name, symbol, line, tuple(children))


def _draft(tree: FlowNode) -> Draft:
    assert tree.symbol
    steps = [node.symbol for node in tree.walk() if node.symbol]
    return Draft(
        kind=EvidenceKind.FLOW,
        source=ContextSource.CODE,
        role=Role.FLOW,
        title=f"Calls of {title_of(tree.symbol)}",
        text=render(tree),
        reason=f"flow from {tree.name}",
        mentions=tuple(dict.fromkeys(steps)),
    )


def _pivotal(tree: FlowNode, rank: Mapping[int, int]) -> list[Candidate]:
    """Name branch points and ends; among each, the best ranked come first."""
    found: list[Candidate] = []
    for node in tree.walk():
        if node.symbol is None or node.repeats or node is tree:
            continue
        inside = [child for child in node.children if child.symbol]
        role = Role.BRANCH if len(inside) >= _BRANCHES_FROM else Role.STEP if inside else Role.TERMINAL
        reason = f"{role.value}, reached from {tree.name}"
        found.append(Candidate(node.symbol, role, "steps", reason, 1.0 / (1 + rank.get(node.symbol.id, len(rank)))))
    return sorted(found, key=lambda each: -each.score)
