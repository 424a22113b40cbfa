"""Follows calls from each entry point and renders them as a tree."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Edge, EdgeKind, Resolution, Symbol
from retriever.domain.views.flow import Again, FlowNode, render
from retriever.usecases.evidence.drafting import title_of
from retriever.usecases.locating.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retriever.ports import Judge, Snapshot

_EXTERNALS = 3
"""Most calls to external code that are shown below one step."""
_UNTELLING = ("builtins.", "<builtin>", "unittest.", "mock.", "pytest.", "_pytest.")
"""Prefixes of external names that say nothing about a flow: ubiquitous ones, and test doubles."""
_NAMED = 2
"""Most possible external targets of one call that are named."""
_CHOICES = 8
"""Most callees of one line; with more it is a dynamic call, such as of a function that was passed in."""
_NODES = 60
"""Most steps of one tree, to keep it readable."""


class Flow:
    """Drafts a call tree for each entry point."""

    name = "flow"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft the call trees; a tree that is part of an earlier one is left out."""
        entries = [each.symbol for each in context.candidates if each.role == EvidenceRole.ENTRY]
        rank = context.ranking.places()
        trees = await asyncio.to_thread(lambda: [tree_of(snapshot, task, entry, rank) for entry in entries])
        drawn = [tree for tree in _apart(trees) if tree.children]
        context = context.with_drafts([_draft(tree) for tree in drawn])
        return context.with_step("call_graph")


def _apart(trees: Sequence[FlowNode]) -> list[FlowNode]:
    """Leave out a tree whose root is unfolded in full in an earlier tree."""
    told: set[int] = set()
    found: list[FlowNode] = []
    for tree in trees:
        if tree.symbol and tree.symbol.id not in told:
            found.append(tree)
            told |= {node.symbol.id for node in tree.walk() if node.symbol and node.children and not node.more}
    return found


@dataclass(slots=True)
class _Known:
    """
    The symbols and calls read so far, hop by hop, so that each hop is one query.

    Args:
        hops: Least distance of each symbol from the entry; the symbol is unfolded there.
        edges: The shown calls of each symbol.
        hidden: For each symbol, how many of its callees in the repository are not shown.
    """

    symbols: dict[int, Symbol]
    hops: dict[int, int]
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    hidden: dict[int, int] = field(default_factory=dict)


def tree_of(snapshot: Snapshot, task: Task, entry: Symbol, rank: Mapping[int, int]) -> FlowNode:
    """Return the calls below an entry, each function unfolded once, those that matter most where there are many."""
    known = _Known({entry.id: entry}, {entry.id: 0})
    frontier = [entry.id]
    for hop in range(task.limits.hops + 1):
        # The last hop only counts calls, to tell symbols without calls from those that are not followed.
        limit = task.limits.callees_per_hop if hop < task.limits.hops else 0
        edges = snapshot.graph.outgoing(frontier, (EdgeKind.CALL,))
        targets = symbols_by_id(snapshot, (edge.target_id for edge in edges))
        met = {key: each for key, each in targets.items() if entry.is_test or not each.is_test}
        shown: dict[int, None] = {}
        for each in frontier:
            own = [edge for edge in edges if edge.source_id == each]
            inside = _first_of(edge for edge in own if edge.target_id in met)
            known.edges[each] = _chosen(_told_apart(inside, rank), own, rank, limit)
            followed = [edge.target_id for edge in known.edges[each] if edge.target_id is not None]
            known.hidden[each] = len(inside) - len(followed)
            shown |= dict.fromkeys(followed)
        frontier = [each for each in shown if each not in known.symbols][:_NODES]
        known.symbols.update({each: met[each] for each in frontier})
        known.hops.update(dict.fromkeys(frontier, hop + 1))
        if not frontier:
            break
    return _Painter(known).node(entry, 0, ())


def _told_apart(inside: Sequence[Edge], rank: Mapping[int, int]) -> list[Edge]:
    """Leave out the many possible callees of a dynamic call, except ranked ones."""
    choices = Counter(edge.line for edge in inside)
    return [each for each in inside if choices[each.line] <= _CHOICES or each.target_id in rank]


def _chosen(inside: list[Edge], own: Sequence[Edge], rank: Mapping[int, int], limit: int) -> list[Edge]:
    """Keep the most relevant callees (ranked ones, then the most certain), in the order of their lines."""
    if not limit:
        return []
    inside.sort(key=lambda edge: (rank.get(edge.target_id or 0, len(rank)), -edge.confidence, edge.line))
    outside = _first_of(edge for edge in own if edge.resolution == Resolution.EXTERNAL)
    telling = [each for each in outside if "." in each.target_name and not each.target_name.startswith(_UNTELLING)]
    place = {(edge.line, edge.target_id): position for position, edge in enumerate(own)}
    return sorted(inside[:limit] + _by_call(telling)[:_EXTERNALS], key=lambda edge: place[edge.line, edge.target_id])


def _by_call(outside: Iterable[Edge]) -> list[Edge]:
    """Merge the possible external targets of one call into one edge, which names a few."""
    calls: dict[tuple[int, str], list[Edge]] = {}
    for each in outside:
        calls.setdefault((each.line, each.target_name.rpartition(".")[2]), []).append(each)
    return [replace(call[0], target_name=_either([each.target_name for each in call])) for call in calls.values()]


def _either(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return " or ".join([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _first_of(edges: Iterable[Edge]) -> list[Edge]:
    """Keep the first call of each callee; external callees are identified by name."""
    found: dict[tuple[int | None, str], Edge] = {}
    for edge in edges:
        found.setdefault((edge.target_id, "" if edge.target_id is not None else edge.target_name), edge)
    return list(found.values())


class _Painter:
    """Builds the tree from the known calls: unfolds each symbol once, where it is nearest to the entry."""

    def __init__(self, known: _Known) -> None:
        self._known = known
        self._expanded: set[int] = set()

    def node(self, symbol: Symbol, line: int, above: tuple[int, ...]) -> FlowNode:
        name = symbol.qualified_name or symbol.module
        is_later = self._known.hops[symbol.id] < len(above)
        if symbol.id in above or symbol.id in self._expanded or is_later:
            again = Again.CYCLE if symbol.id in above else Again.BEFORE if symbol.id in self._expanded else Again.LATER
            return FlowNode(name, symbol, line, again=again)
        self._expanded.add(symbol.id)
        edges = self._known.edges.get(symbol.id, ()) if len(self._expanded) <= _NODES else ()
        children: list[FlowNode] = []
        for edge in edges:
            callee = self._known.symbols.get(edge.target_id) if edge.target_id is not None else None
            if callee:
                children.append(self.node(callee, edge.line, (*above, symbol.id)))
            elif edge.target_id is None:
                children.append(FlowNode(edge.target_name, line=edge.line))
        inside = sum(edge.target_id is not None for edge in self._known.edges.get(symbol.id, ()))
        more = self._known.hidden.get(symbol.id, 0) + inside - sum(child.symbol is not None for child in children)
        return FlowNode(name, symbol, line, tuple(children), more=more)


def _draft(tree: FlowNode) -> Draft:
    assert tree.symbol
    steps = [node.symbol for node in tree.walk() if node.symbol]
    return Draft(
        kind=EvidenceKind.FLOW,
        source=ContextSource.CODE,
        role=EvidenceRole.FLOW,
        title=f"Calls of {title_of(tree.symbol)}",
        text=render(tree),
        reason=f"flow from {tree.name}",
        mentions=tuple(dict.fromkeys(steps)),
    )
