"""Finds symbols by name, with their facts and edges."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.questions.names import Name, parse, path_matches
from retriever.usecases.locating.naming import find_files, find_modules, find_symbols
from retriever.usecases.locating.suggesting import similar_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Fact, FactKind, Symbol, SymbolKind
    from retriever.ports import Snapshot, SnapshotStore


@dataclass(frozen=True, slots=True)
class SymbolDetail:
    """A symbol with its facts and edges; fan-in and fan-out count distinct symbols of the repository."""

    symbol: Symbol
    fan_in: int
    fan_out: int
    facts: tuple[Fact, ...]

    def values(self, kind: FactKind) -> tuple[str, ...]:
        """Return the facts of one kind as written, in order of first line, without duplicates."""
        return tuple(dict.fromkeys(fact.value for fact in self.facts if fact.kind == kind))


@dataclass(frozen=True, slots=True)
class SymbolsPage:
    """
    Symbols that were found in a snapshot.

    Attributes:
        snapshot_id: The one that was read.
        symbols: Exact matches first, then by path and line.
        more: Whether another page follows.
        similar: If nothing was found, similar qualified names, the likeliest first.
    """

    snapshot_id: str
    symbols: tuple[SymbolDetail, ...]
    more: bool
    similar: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantedSymbols:
    """
    What symbols to find.

    Args:
        name: Matched from the right at dots; a text that is no name matches nothing. "" for any.
        path: Only symbols of files whose path ends with this; "" for all.
        facts: Only symbols whose bodies show all of these; a value is the whole name or the end of it at a dot.
    """

    name: str
    path: str = ""
    kind: SymbolKind | None = None
    facts: tuple[tuple[FactKind, str], ...] = ()


class LookUpSymbols:
    """Finds symbols by name."""

    def __init__(self, snapshots: SnapshotStore) -> None:
        self._snapshots = snapshots

    async def run(self, repository: str, snapshot_id: str, wanted: WantedSymbols, first: int, size: int) -> SymbolsPage:
        """Return the page of symbols that begins at position `first`."""
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            found = await asyncio.to_thread(_found, snapshot, wanted)
            page = found[first : first + size]
            details = await asyncio.to_thread(_details, snapshot, page)
            similar = () if found else await asyncio.to_thread(similar_names, snapshot, wanted.name)
            return SymbolsPage(snapshot.info.snapshot_id, details, first + size < len(found), similar)


def _found(snapshot: Snapshot, wanted: WantedSymbols) -> list[Symbol]:
    showing = [{fact.symbol_id for fact in snapshot.facts.with_value(*each)} for each in wanted.facts]
    if wanted.name:
        found = _named(snapshot, wanted.name, wanted.path)
    elif not showing:
        found = [each for file in find_files(snapshot, wanted.path) for each in snapshot.symbols.in_file(file.path)]
    else:
        found = sorted(snapshot.symbols.get(sorted(set.union(*showing))), key=lambda each: (each.path, each.start_line))
    kept = (each for each in found if wanted.kind in (None, each.kind) and all(each.id in ids for ids in showing))
    return [each for each in kept if not wanted.path or path_matches(each.path, wanted.path)]


def _named(snapshot: Snapshot, written: str, path: str) -> list[Symbol]:
    name = parse(written)
    if name is None or not name.parts:
        return []
    found = [*find_symbols(snapshot, Name(name.parts, path or name.path)), *find_modules(snapshot, name.parts)]
    return sorted(
        dict.fromkeys(found), key=lambda each: (each.qualified_name != name.dotted, each.path, each.start_line)
    )


def _details(snapshot: Snapshot, symbols: Sequence[Symbol]) -> tuple[SymbolDetail, ...]:
    ids = [symbol.id for symbol in symbols]
    fan_in, fan_out = snapshot.graph.fan_in(ids), snapshot.graph.fan_out(ids)
    facts = snapshot.facts.of(ids)
    return tuple(
        SymbolDetail(
            symbol,
            fan_in.get(symbol.id, 0),
            fan_out.get(symbol.id, 0),
            tuple(fact for fact in facts if fact.symbol_id == symbol.id),
        )
        for symbol in symbols
    )
