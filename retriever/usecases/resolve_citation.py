"""Finds a cited place again in another snapshot."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.evidence.piece import hash_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot, SnapshotStore


_MOST_CHARACTERS = 300_000_000
"""Most characters to hash, about a second: long citations may match at any line of many files."""


class CitationState(IntEnum):
    """Outcome of a citation; the numbers are those of the contract."""

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
        Look for the same lines at the same place, where the symbol is now, then elsewhere in its file and in files
        with a symbol of its name (a renamed file); else for the symbol with changed lines, the nearest of several.

        Args:
            revision: A snapshot id or the commit of one; "" means the current snapshot.
        """
        snapshot_id = await self._snapshots.at_revision(repository, revision)
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            return await asyncio.to_thread(_follow, snapshot, citation)


def _follow(snapshot: Snapshot, citation: Citation) -> Whereabouts:
    identity = snapshot.info.snapshot_id
    named = _of_its_name(snapshot, citation)
    own = [symbol for symbol in named if symbol.qualified_name == citation.qualified_name]
    span = _found(citation, _places(snapshot, citation, own, named)) if citation.content_hash else None
    if span:
        state = CitationState.SAME if span == citation.span else CitationState.MOVED
        return Whereabouts(identity, state, span, _symbol_at(snapshot, span, citation.qualified_name))
    if own and (own[0].path == citation.span.path or len(own) == 1):
        return Whereabouts(identity, CitationState.CHANGED, own[0].span, own[0])
    return Whereabouts(identity, CitationState.GONE)


def _of_its_name(snapshot: Snapshot, citation: Citation) -> list[Symbol]:
    """Return symbols with the simple name of the cited one: first those of its file, nearest first."""
    if not citation.qualified_name:
        return []
    cited = citation.span
    return sorted(
        snapshot.symbols.named(citation.qualified_name.rpartition(".")[2]),
        key=lambda each: (each.path != cited.path, each.path, abs(each.start_line - cited.start_line), each.start_line),
    )


def _places(
    snapshot: Snapshot, citation: Citation, own: Sequence[Symbol], named: Sequence[Symbol]
) -> Iterator[tuple[str, list[str], int]]:
    """
    Yield places where the cited lines may be: path, lines of the file, and first line.

    Short methods of one file often have equal lines, so the place of the symbol itself comes first, then others by
    distance.
    """
    cited = citation.span
    yield cited.path, _lines_of(snapshot, cited.path), cited.start_line
    for symbol in own:
        yield symbol.path, _lines_of(snapshot, symbol.path), symbol.start_line
    for path in dict.fromkeys((cited.path, *(symbol.path for symbol in named))):
        lines = _lines_of(snapshot, path)
        last = len(lines) - (cited.end_line - cited.start_line)
        for start in sorted(range(1, last + 1), key=lambda each: abs(each - cited.start_line)):
            yield path, lines, start


def _found(citation: Citation, places: Iterable[tuple[str, list[str], int]]) -> Span | None:
    count = citation.span.end_line - citation.span.start_line + 1
    left = _MOST_CHARACTERS
    for path, lines, start in places:
        text = "\n".join(lines[start - 1 : start - 1 + count])
        if lines[start - 1 : start] and hash_lines(text) == citation.content_hash:
            return Span(path, start, start + count - 1)
        left -= len(text)
        if left < 0:
            break
    return None


def _lines_of(snapshot: Snapshot, path: str) -> list[str]:
    text = snapshot.files.text(path)
    return text.removesuffix("\n").split("\n") if text else []


def _symbol_at(snapshot: Snapshot, span: Span, name: str) -> Symbol | None:
    """Return the symbol at these lines; the one with the cited name if several fit."""
    exact = [symbol for symbol in snapshot.symbols.in_file(span.path) if symbol.span == span]
    return next((symbol for symbol in exact if symbol.qualified_name == name), exact[0] if exact else None)
