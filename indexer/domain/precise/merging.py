"""
Merges the edges of a SCIP index into those that the linker found in one file.

The index gives the definition to which each name refers. The linker tells which names are called, and finds calls that
no name shows: protocols, callbacks, overrides. docs/adr/0010 gives the reasons for each case.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.model import EdgeKind, Resolution, SymbolKind, Tier
from indexer.domain.precise.graph import external_edge, precise_edge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.model import EdgeRow
    from indexer.domain.precise.graph import Graph
    from indexer.domain.precise.sites import PreciseFile, Site

_CHAIN_LINES = 30
_GUESSED = (Tier.UNIQUE_NAME, Tier.OVERRIDE)


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A site with symbol ids: `targets` are its definitions in the snapshot, `external` is a dotted name or ""."""

    site: Site
    source: int
    targets: tuple[int, ...]
    external: str


@dataclass(frozen=True, slots=True)
class Merged:
    """
    The edges of one file.

    Args:
        edges: In the order of the core layer.
        replaced: Number of the linker's edges that are left out: replaced by equal precise ones, or contradicted.
        precise: Number of edges from the index.
    """

    edges: tuple[EdgeRow, ...]
    replaced: int
    precise: int


def merge_file(graph: Graph, edges: Sequence[EdgeRow], file: PreciseFile) -> Merged:
    """Return the merged edges that start in a file; `edges` are the linker's, for the same text as the index's."""
    merging = _Merging(graph, edges, file)
    precise = {_key(edge): edge for edge in merging.precise()}
    kept = [edge for edge in edges if _key(edge) not in precise and not merging.contradicts(edge)]
    found = sorted((*kept, *precise.values()), key=_place)
    return Merged(tuple(found), len(edges) - len(kept), len(precise))


def _place(edge: EdgeRow) -> tuple[object, ...]:
    return edge.source_id, edge.line, edge.kind, edge.tier, edge.target_name, edge.target_id or -1


def _key(edge: EdgeRow) -> tuple[object, ...]:
    return edge.source_id, edge.line, edge.kind, edge.target_id, "" if edge.target_id is not None else edge.target_name


class _Merging:
    def __init__(self, graph: Graph, edges: Sequence[EdgeRow], file: PreciseFile) -> None:
        self._graph = graph
        self._file = file
        self._bases, self._wrong_bases = _merge_bases(graph, edges, file)
        inherits = (edge for edge in (*edges, *self._bases) if edge.kind is EdgeKind.INHERITS)
        self._inherits = {(edge.source_id, edge.target_id) for edge in inherits}
        self._unexplained = set(file.unknown)
        self._by_name: dict[tuple[int, str], list[_Known]] = defaultdict(list)
        self._known = list(self._resolved())
        for known in self._known:
            for name in {known.site.written, known.site.name}:
                self._by_name[known.site.line, name].append(known)
        self._lines: dict[str, list[int]] = defaultdict(list)
        for line, name in sorted(self._by_name):
            self._lines[name].append(line)
        self._named = {(edge.line, name) for edge in edges for name in self._names(edge)}
        self._about = {id(edge): self._find_about(edge) for edge in edges}
        self._calls_in: dict[int, set[int]] = defaultdict(set)
        for edge in edges:
            if edge.kind is EdgeKind.CALL and edge.target_id is not None:
                self._calls_in[edge.line].add(edge.target_id)
        self._of: dict[_Known, list[EdgeRow]] = defaultdict(list)
        for edge in edges:
            for known in self._about[id(edge)]:
                self._of[known].append(edge)

    def precise(self) -> Iterator[EdgeRow]:
        """Return the edges of the index."""
        yield from self._bases
        for known in self._known:
            calls = [edge for edge in self._of[known] if edge.kind is EdgeKind.CALL and edge.tier is Tier.STATIC]
            imports = [edge for edge in self._of[known] if edge.kind is EdgeKind.IMPORT]
            if known.site.callable and (known.site.called or calls) and not self._wrapped(known):
                yield from self._calls(known, calls)
            elif known.site.imported or imports:
                yield from self._edges_to(known, EdgeKind.IMPORT, imports)
            else:
                yield from self._references(known)

    def contradicts(self, edge: EdgeRow) -> bool:
        """Return whether the index contradicts an edge of the linker: no name at its place can refer to its target."""
        if edge.kind is EdgeKind.INHERITS:
            return edge in self._wrong_bases
        if edge.target_id is not None and edge.tier not in _GUESSED:
            return False
        about = self._about[id(edge)]
        unexplained = any((edge.line, name) in self._unexplained for name in self._names(edge))
        if not about or unexplained or not all(known.site.callable for known in about):
            return False
        meant = (target for known in about for target in known.targets)
        return edge.target_id is None or not any(self._graph.allows(target, edge.target_id) for target in meant)

    def _calls(self, known: _Known, calls: list[EdgeRow]) -> Iterator[EdgeRow]:
        source = calls[0].source_id if calls else known.source
        for target in known.targets:
            is_class = self._graph.nodes[target].kind is SymbolKind.CLASS
            callee = self._graph.constructor(target) if is_class else target
            yield precise_edge(self._graph, source, callee, EdgeKind.CALL, calls[0].line if calls else known.site.line)
        yield from self._external(known, EdgeKind.CALL, calls)

    def _wrapped(self, known: _Known) -> bool:
        """Return whether, for each target, the linker found a call of its decorator's wrapper in this line instead."""
        line = self._calls_in[known.site.line]
        runs = (any(self._graph.stands_for(found, target) for found in line) for target in known.targets)
        return bool(known.targets) and all(runs)

    def _edges_to(self, known: _Known, kind: EdgeKind, edges: list[EdgeRow]) -> Iterator[EdgeRow]:
        for target in known.targets:
            yield precise_edge(self._graph, known.source, target, kind, known.site.line)
        yield from self._external(known, kind, edges)

    def _external(self, known: _Known, kind: EdgeKind, edges: list[EdgeRow]) -> Iterator[EdgeRow]:
        """Yield the linker's external edges of a site as precise ones; without any, one edge to the index's name."""
        if not known.external:
            return
        own = [edge for edge in edges if edge.resolution is Resolution.EXTERNAL]
        for edge in own:
            yield edge._replace(confidence=1.0, tier=Tier.PRECISE)
        if not own:
            source, line = (edges[0].source_id, edges[0].line) if edges else (known.source, known.site.line)
            yield external_edge(source, known.external, kind, line)

    def _references(self, known: _Known) -> Iterator[EdgeRow]:
        called = {edge.target_id for edge in self._of[known] if edge.kind is EdgeKind.CALL}
        for target in known.targets:
            if target != known.source and target not in called and (known.source, target) not in self._inherits:
                yield precise_edge(self._graph, known.source, target, EdgeKind.REFERENCES, known.site.line)

    def _resolved(self) -> Iterator[_Known]:
        """Yield the sites whose source and targets are all found in the graph; record the others as unexplained."""
        for site in self._file.sites:
            source = self._graph.find_in(self._file.path, *site.source)
            targets = [self._graph.find(place) for place in site.meant if place.path]
            found = tuple(target for target in targets if target is not None)
            if source is not None and len(found) == len(targets):
                external = next((place.name for place in site.meant if not place.path), "")
                yield _Known(site, source, found, external)
            else:
                self._unexplained.add((site.line, site.written))

    def _names(self, edge: EdgeRow) -> tuple[str, ...]:
        if edge.target_id is not None:
            return self._graph.names(edge.target_id)
        return (edge.target_name.rpartition(".")[2],)

    def _find_about(self, edge: EdgeRow) -> list[_Known]:
        """Return the sites that may cause an edge: with its name, in its line or, in a chain of calls, a later one."""
        for name in self._names(edge):
            if found := self._by_name.get((edge.line, name)):
                return found
        if edge.kind is not EdgeKind.CALL:
            return []
        for name in self._names(edge):
            lines = self._lines.get(name, [])
            for line in lines[bisect_right(lines, edge.line) : bisect_right(lines, edge.line + _CHAIN_LINES)]:
                below = [each for each in self._by_name[line, name] if each.source == edge.source_id]
                if below and (line, name) not in self._named:
                    return below
        return []


def _merge_bases(graph: Graph, edges: Sequence[EdgeRow], file: PreciseFile) -> tuple[list[EdgeRow], frozenset[EdgeRow]]:
    """
    Return the inheritance edges that the index gives a file, and those of the linker that the index contradicts.

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
    return precise, frozenset(wrong)
