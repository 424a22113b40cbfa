"""Digests of a core layer's content: equal sources give equal digests, independent of the index's history."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from indexer.domain.model import Edge
from indexer.domain.snapshots.snapshot import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.domain.snapshots.core import Core, IndexedFile


class Qualified(Protocol):
    """Something with a qualified name."""

    @property
    def qualified_name(self) -> str:
        """Return its name, dotted from the outermost scope of the file."""


def edges_by_file(core: Core) -> Iterator[list[Edge]]:
    """Yield for each file of the core its outgoing edges, in order of writing, with files by position in the core."""
    found: list[list[Edge]] = [[] for _ in core.files]
    files: dict[int, Sequence[int]] = {}
    between: dict[int, list[Edge]] = {}
    for linked in core.edges:
        if not linked.language:  # edges between languages: few; their files also belong to a language
            for edge in linked.edges:
                between.setdefault(linked.files[edge.source[0]], []).append(_placed(edge, linked.files))
            continue
        files.update(dict.fromkeys(linked.files, linked.files))
        for edge in linked.edges:
            found[linked.files[edge.source[0]]].append(edge)
    for position, edges in enumerate(found):
        placed = (_placed(edge, files[position]) for edge in edges)
        yield sorted((*placed, *between.get(position, ())), key=_place)


def _placed(edge: Edge, files: Sequence[int]) -> Edge:
    target = None if edge.target is None else (files[edge.target[0]], edge.target[1])
    return Edge((files[edge.source[0]], edge.source[1]), target, *edge[2:])


def _place(edge: Edge) -> tuple[object, ...]:
    return (edge.source[1], edge.line, edge.kind, edge.tier, edge.target_name, edge.target or (-1, -1))


def symbol_identities(symbols: Iterable[Qualified]) -> tuple[str, ...]:
    """
    Return a name for each symbol of a file: its qualified name and its number among symbols of the same name.

    Unlike ids and lines, these names do not change when other parts of the file do.
    """
    seen: Counter[str] = Counter()
    names = []
    for symbol in symbols:
        names.append(f"{symbol.qualified_name}#{seen[symbol.qualified_name]}")
        seen[symbol.qualified_name] += 1
    return tuple(names)


def file_digest(file: IndexedFile, edges: Iterable[tuple[Edge, str]]) -> str:
    """
    Return the digest of one file's rows.

    Args:
        file: The file.
        edges: Edges that start in it, in order of writing, each with the identity of its target ("" for none).
    """
    rows: list[object] = [
        (file.source.path, file.language, file.module, file.source.sha256, file.is_test, file.role, file.error),
    ]
    if file.parsed is not None:
        rows.extend(
            (
                symbol.kind, symbol.qualified_name, symbol.parent, symbol.start_line, symbol.end_line,
                symbol.signature, symbol.docstring, symbol.decorators, symbol.is_public, symbol.complexity,
                symbol.marks,
            )
            for symbol in file.parsed.symbols
        )  # fmt: skip
    rows.extend(
        (
            fact.symbol, fact.kind, fact.value, fact.line, fact.end_line, fact.detail, fact.origin, fact.above,
            fact.is_plain,
        )
        for fact in file.facts
    )  # fmt: skip
    rows.extend(
        (edge.source[1], target, edge.target_name, edge.kind, edge.line, edge.confidence, edge.tier, edge.resolution)
        for edge, target in edges
    )
    return _hash(rows)


def core_digest(core: Core, file_digests: Iterable[str]) -> str:
    """Return the digest of a core layer, given the digests of its files in order of path."""
    # The schema version gives a core of another format another digest, so that published cores are never overwritten.
    rows: list[object] = [SCHEMA_VERSION, *file_digests]
    rows.extend((each.path, each.reason, None if each.words is None else each.words.hex()) for each in core.skipped)
    rows.extend((page.kind, page.path, page.title, page.start_line, page.end_line, page.body) for page in core.pages)
    rows.extend((path, each.changes, each.last_change) for path, each in core.history.files.items())
    rows.extend((*pair, count) for pair, count in core.history.cochanges.items())
    rows.extend((each.time, each.paths, each.message) for each in core.history.commits)
    rows.extend((each.domain, each.concepts) for each in core.metadata)
    return _hash(rows)


# Rows have no cycles, and checking for them would take a fifth of the time.
_JSON = json.JSONEncoder(separators=(",", ":"), check_circular=False)


def _hash(rows: list[object]) -> str:
    return hashlib.sha256(_JSON.encode(rows).encode()).hexdigest()
