"""Edges of an edited file: those of unchanged symbols are kept, the others come from a link with a few neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.model import EdgeRow, Resolution, SymbolKind, Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from indexer.domain.model import Edge, SymbolDef
    from indexer.domain.provisional.published import PublishedSymbol
    from indexer.domain.provisional.symbols import Untouched


def kept_edges(
    edges: Iterable[EdgeRow], before: Sequence[PublishedSymbol], same: Untouched, gone: Collection[int]
) -> Iterator[EdgeRow]:
    """
    Yield the published edges of a file that an edit did not affect, at their new lines.

    An edge is kept if both the symbol at which it starts and the symbol that owns its line are unchanged; these differ
    for a decorator. An edge to a removed symbol becomes unresolved.

    Args:
        gone: Ids of the symbols that were removed from any edited file.
    """
    homes = _homes({each.id: (each.kind, each.parent_id) for each in before})
    for edge in edges:
        if homes[edge.source_id] in same.ids and edge.line in same.lines:
            line = same.lines[edge.line]
            moved = edge if edge.line == line else edge._replace(line=line)
            yield lost(moved) if moved.target_id in gone else moved


def lost(edge: EdgeRow) -> EdgeRow:
    """Return an edge whose target was removed, as unresolved."""
    return edge._replace(target_id=None, resolution=Resolution.UNRESOLVED, confidence=0.0)


def fresh_edges(
    edges: Iterable[Edge],
    unit: int,
    symbols: Sequence[SymbolDef],
    ids: Sequence[int],
    same: Untouched,
    target_of: Callable[[tuple[int, int]], int | None],
) -> Iterator[EdgeRow]:
    """
    Yield the edges that start in changed symbols of one edited file, from the result of linking a few files.

    Edges of the tier UNIQUE_NAME are left out: that a name is unique among a few files proves nothing.

    Args:
        edges: All edges of the link.
        unit: Position of the file among the units of the link.
        ids: Ids of the file's symbols.
        target_of: Returns the id of a (unit, symbol), None if it has none; the edge is then unresolved.
    """
    parents = {ids[at]: (each.kind, ids[each.parent] if each.parent >= 0 else None) for at, each in enumerate(symbols)}
    homes = _homes(parents)
    standing = frozenset(same.lines.values())
    for edge in edges:
        if edge.source[0] != unit or edge.tier == Tier.UNIQUE_NAME:
            continue
        source_id = ids[edge.source[1]]
        if homes[source_id] in same.ids and edge.line in standing:
            continue
        target_id = target_of(edge.target) if edge.target is not None else None
        resolution = Resolution.UNRESOLVED if edge.target is not None and target_id is None else edge.resolution
        yield EdgeRow(
            source_id, target_id, edge.target_name, edge.kind, edge.line, edge.confidence, edge.tier, resolution
        )


def _homes(symbols: Mapping[int, tuple[SymbolKind, int | None]]) -> dict[int, int]:
    """Return for each symbol itself, or for a variable the innermost enclosing symbol that is not a variable."""
    homes: dict[int, int] = {}
    for symbol_id in symbols:
        home = symbol_id
        while (found := symbols[home])[0] == SymbolKind.VARIABLE and found[1] is not None:
            home = found[1]
        homes[symbol_id] = home
    return homes
