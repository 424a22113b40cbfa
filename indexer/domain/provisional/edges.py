"""Edges of an edited file: those of untouched symbols stay, the others come from linking it with what is around it."""

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
    Yield the edges of a file that an edit left as they were, at their new lines.

    An edge stays if the symbol that it starts from is untouched, and so is the one whose line it stands in, which is
    another for a decorator.

    Args:
        gone: Ids of symbols of all edited files that are there no more.
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
    Yield the edges that start in touched symbols of one edited file, out of those of a link of few files.

    What is concluded from a name being the only one of its kind is left out: among few files it proves nothing.

    Args:
        unit: Position of the file among the units of the link.
        ids: Of its symbols.
        target_of: Returns the id of a (unit, symbol), None if it has none.
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
    """Return for each symbol the innermost one around it that is no variable, itself if it is none."""
    homes: dict[int, int] = {}
    for symbol_id in symbols:
        home = symbol_id
        while (found := symbols[home])[0] == SymbolKind.VARIABLE and found[1] is not None:
            home = found[1]
        homes[symbol_id] = home
    return homes
