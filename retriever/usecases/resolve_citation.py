"""Says what became of a cited place at another snapshot."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from retriever.domain.evidence import hash_lines
from retriever.domain.values import Span, Symbol

if TYPE_CHECKING:
    from retriever.ports import Snapshot, SnapshotStore


class CitationState(IntEnum):
    """What became of a citation; numbers are those of the contract."""

    SAME = 1
    MOVED = 2
    CHANGED = 3
    GONE = 4


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited place: its lines, their SHA-256, and the symbol that they belong to, "" if to none."""

    span: Span
    content_hash: str
    qualified_name: str = ""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a citation leads now; place and symbol are None if it is gone."""

    snapshot_id: str
    state: CitationState
    span: Span | None = None
    symbol: Symbol | None = None


class ResolveCitation:
    """Follows a citation into another snapshot."""

    def __init__(self, snapshots: SnapshotStore) -> None:
        self._snapshots = snapshots

    async def run(self, repository: str, citation: Citation, revision: str) -> Whereabouts:
        """
        Look for the same lines at the same place, then elsewhere (a renamed file too), then for the symbol.

        Args:
            revision: A snapshot id or the commit of one; "" means the current snapshot.
        """
        snapshot_id = await self._snapshots.at_revision(repository, revision)
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            return await asyncio.to_thread(_follow, snapshot, citation)


def _follow(snapshot: Snapshot, citation: Citation) -> Whereabouts:
    identity = snapshot.info.snapshot_id
    lines = citation.span.end_line - citation.span.start_line + 1
    here = _lines_of(snapshot, citation.span.path)
    if citation.content_hash:
        if _hash_at(here, citation.span.start_line, lines) == citation.content_hash:
            return Whereabouts(identity, CitationState.SAME, citation.span, _symbol_at(snapshot, citation.span))
        moved = _moved(snapshot, citation, here, lines)
        if moved:
            return Whereabouts(identity, CitationState.MOVED, moved, _symbol_at(snapshot, moved))
    same_name = [
        symbol
        for symbol in snapshot.symbols.named(citation.qualified_name.rpartition(".")[2])
        if citation.qualified_name and symbol.qualified_name == citation.qualified_name
    ]
    same_name.sort(key=lambda symbol: (symbol.path != citation.span.path, symbol.path, symbol.start_line))
    in_place = [symbol for symbol in same_name if symbol.path == citation.span.path]
    if in_place or len(same_name) == 1:
        found = same_name[0]
        return Whereabouts(identity, CitationState.CHANGED, found.span, found)
    return Whereabouts(identity, CitationState.GONE)


def _moved(snapshot: Snapshot, citation: Citation, here: list[str], lines: int) -> Span | None:
    """Look for the lines in the same file, then where symbols of the same name stand."""
    start = _start_of(here, citation.content_hash, lines)
    if start:
        return Span(citation.span.path, start, start + lines - 1)
    named = snapshot.symbols.named(citation.qualified_name.rpartition(".")[2]) if citation.qualified_name else ()
    for path in dict.fromkeys(symbol.path for symbol in named if symbol.path != citation.span.path):
        start = _start_of(_lines_of(snapshot, path), citation.content_hash, lines)
        if start:
            return Span(path, start, start + lines - 1)
    return None


def _lines_of(snapshot: Snapshot, path: str) -> list[str]:
    text = snapshot.files.text(path)
    return text.removesuffix("\n").split("\n") if text else []


def _hash_at(lines: list[str], start: int, count: int) -> str:
    shown = lines[start - 1 : start - 1 + count]
    return hash_lines("\n".join(shown)) if shown else ""


def _start_of(lines: list[str], content_hash: str, count: int) -> int:
    """Return the 1-based line from which `count` lines have this hash; 0 if there is none."""
    starts = range(1, len(lines) - count + 2)
    return next((start for start in starts if _hash_at(lines, start, count) == content_hash), 0)


def _symbol_at(snapshot: Snapshot, span: Span) -> Symbol | None:
    exact = [symbol for symbol in snapshot.symbols.in_file(span.path) if symbol.start_line == span.start_line]
    return next((symbol for symbol in exact if symbol.end_line == span.end_line), None)
