"""Merges the base classes that the linker found for classes of one file with those of a SCIP index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.model import EdgeKind, SymbolKind
from indexer.domain.precise.graph import precise_edge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.model import EdgeRow
    from indexer.domain.precise.graph import Graph
    from indexer.domain.precise.sites import PreciseFile


@dataclass(frozen=True, slots=True)
class MergedBases:
    """Inheritance edges of the index, and inheritance edges of the linker that the index contradicts."""

    precise: tuple[EdgeRow, ...]
    wrong: frozenset[EdgeRow]


def merge_bases(graph: Graph, edges: Sequence[EdgeRow], file: PreciseFile) -> MergedBases:
    """
    Return the base classes of the classes of a file for which the index lists ancestors.

    Indexes list all ancestors, not bases alone. An ancestor that another listed ancestor descends from is taken as a
    base only if the linker found it as one.
    """
    precise: list[EdgeRow] = []
    wrong: list[EdgeRow] = []
    for each in file.implementations:
        cls = graph.find_in(file.path, *each.source)
        targets = {found for place in each.targets if place.path and (found := graph.find(place)) is not None}
        if cls is None or graph.nodes[cls].kind is not SymbolKind.CLASS or not targets:
            continue
        read = [edge for edge in edges if edge.source_id == cls and edge.kind is EdgeKind.INHERITS and edge.target_id]
        wrong += [edge for edge in read if edge.target_id not in targets]
        known = {edge.target_id for edge in read}
        implied = {base for target in targets for base in graph.ancestors(target)[1:]}
        line = read[0].line if read else graph.nodes[cls].line
        direct = sorted(target for target in targets if target in known or target not in implied)
        precise += [precise_edge(graph, cls, target, EdgeKind.INHERITS, line) for target in direct if target != cls]
    return MergedBases(tuple(precise), frozenset(wrong))
