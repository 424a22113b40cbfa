"""Walks the graph from given symbols, hop by hop, nearest edges first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from retriever.domain.errors import SpanNotFound
from retriever.usecases.locating.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Edge, EdgeKind, Symbol
    from retriever.ports import Snapshot, SnapshotStore


class Direction(Enum):
    """Which way edges are followed."""

    FORWARD = "forward"
    BACKWARD = "backward"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Seed:
    """A symbol by its identity in the contract; a start line of 0 takes the first of that name."""

    path: str
    qualified_name: str
    start_line: int = 0


@dataclass(frozen=True, slots=True)
class Walk:
    """Parameters of a graph walk; `max_edges` bounds the result."""

    direction: Direction
    hops: int
    kinds: tuple[EdgeKind, ...]
    min_confidence: float
    max_edges: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Edges by hop, then path, then line; `symbols` holds every end that is in the repository, by id."""

    snapshot_id: str
    edges: tuple[Edge, ...]
    symbols: dict[int, Symbol]
    truncated: bool


class ExpandGraph:
    """Follows edges from symbols."""

    def __init__(self, snapshots: SnapshotStore) -> None:
        self._snapshots = snapshots

    async def run(self, repository: str, snapshot_id: str, seeds: Sequence[Seed], walk: Walk) -> Neighbourhood:
        """Walk. Raises SpanNotFound if a seed is not in the snapshot."""
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            return await asyncio.to_thread(_walk, snapshot, seeds, walk)


def find_seed(snapshot: Snapshot, seed: Seed) -> Symbol:
    """Return the symbol of an identity. Raises SpanNotFound."""
    same = [each for each in snapshot.symbols.in_file(seed.path) if each.qualified_name == seed.qualified_name]
    exact = [each for each in same if each.start_line == seed.start_line] or ([] if seed.start_line else same)
    if not exact:
        at = f" at line {seed.start_line}" if seed.start_line else ""
        text = f"{seed.path} has no symbol {seed.qualified_name!r}{at}; look it up by name first"
        raise SpanNotFound(text, metadata={"path": seed.path, "qualified_name": seed.qualified_name})
    return exact[0]


def _walk(snapshot: Snapshot, seeds: Sequence[Seed], walk: Walk) -> Neighbourhood:
    symbols = {symbol.id: symbol for symbol in (find_seed(snapshot, seed) for seed in seeds)}
    frontier = list(symbols)
    met: dict[Edge, None] = {}
    for _ in range(walk.hops):
        edges = [edge for edge in _edges(snapshot, frontier, walk) if edge not in met]
        ends = dict.fromkeys(end for edge in edges for end in (edge.source_id, edge.target_id) if end is not None)
        frontier = [each for each in ends if each not in symbols]
        symbols |= symbols_by_id(snapshot, frontier)
        edges.sort(key=lambda edge: (symbols[edge.source_id].path, edge.line))
        met.update(dict.fromkeys(edges))
        if not frontier or len(met) > walk.max_edges:
            break
    kept = tuple(met)[: walk.max_edges]
    return Neighbourhood(snapshot.info.snapshot_id, kept, symbols, len(met) > walk.max_edges)


def _edges(snapshot: Snapshot, frontier: Sequence[int], walk: Walk) -> list[Edge]:
    found: list[Edge] = []
    if walk.direction != Direction.BACKWARD:
        found += snapshot.graph.outgoing(frontier, walk.kinds, min_confidence=walk.min_confidence)
    if walk.direction != Direction.FORWARD:
        found += snapshot.graph.incoming(frontier, walk.kinds, min_confidence=walk.min_confidence)
    return list(dict.fromkeys(found))
