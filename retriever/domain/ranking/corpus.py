"""What can be ranked, as columns: files by path, symbols by path and line. A place is a position in the columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.snapshot import FileRole
from retriever.domain.values import SymbolKind, SymbolMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from retriever.domain.values import File

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

FIELDS = 6
NAME, SCOPE, SIGNATURE, DOC, BODY, TEXT = range(FIELDS)
"""Columns of counts and lengths; numbers are those of the snapshot format."""


@dataclass(frozen=True, eq=False)
class FileColumns:
    """
    Files: each has the same place in every column.

    Args:
        rows: The files, in order of path.
        lengths: (files, fields): terms in each field.
        last_change: Seconds since 1970; 0 where it is not known.
        changes: Commits that touched the file.
    """

    rows: tuple[File, ...]
    lengths: Floats
    last_change: Floats
    changes: Floats

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def is_code(self) -> Bools:
        """For each file, whether it has symbols."""
        return np.array([row.parsed and bool(row.language) for row in self.rows], dtype=bool)

    @cached_property
    def is_test(self) -> Bools:
        """For each file, whether it is a test."""
        return np.array([row.is_test for row in self.rows], dtype=bool)

    @cached_property
    def by_basename(self) -> Mapping[str, tuple[int, ...]]:
        """Places of files in the columns, grouped by the last part of the path."""
        return _grouped([row.path.rpartition("/")[2] for row in self.rows])

    @cached_property
    def by_module_end(self) -> Mapping[str, tuple[int, ...]]:
        """Places of code files in the columns, grouped by the last part of the module's name."""
        ends = [row.module.rpartition(".")[2] if row.language else "" for row in self.rows]
        return _grouped(ends)


@dataclass(frozen=True, eq=False)
class SymbolColumns:
    """
    Symbols that are ranked by themselves: each has the same place in every column.

    Args:
        ids: Identity in the snapshot.
        file: Place of the file; ascending.
        kind: Number of SymbolKind.
        parent: Place of the enclosing symbol; -1 without one.
        marks: Bits of SymbolMark.
        lengths: (symbols, fields): terms in each field.
    """

    ids: Ints
    file: Ints
    kind: Ints
    parent: Ints
    start_line: Ints
    end_line: Ints
    marks: Ints
    names: tuple[str, ...]
    qualified_names: tuple[str, ...]
    lengths: Floats

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[int, ...]]:
        """Places by simple name, exact case."""
        return _grouped(self.names)

    @cached_property
    def is_module(self) -> Bools:
        """For each symbol, whether it is a module."""
        return np.equal(self.kind, SymbolKind.MODULE)

    @cached_property
    def is_class(self) -> Bools:
        """For each symbol, whether it is a class."""
        return np.equal(self.kind, SymbolKind.CLASS)

    def inside(self, place: int) -> Ints:
        """Return the places of the symbols that a symbol encloses directly."""
        parents, places = self._by_parent
        return places[slice(*np.searchsorted(parents, (place, place + 1)))]

    @cached_property
    def _by_parent(self) -> tuple[Ints, Ints]:
        places = np.argsort(self.parent, kind="stable")
        return self.parent[places], places

    @cached_property
    def files_with_symbols(self) -> tuple[Ints, Ints]:
        """Places of the files that have symbols, and the place of the first symbol of each."""
        files, first = np.unique(self.file, return_index=True)
        return files, first

    def places(self, ids: Ints) -> Ints:
        """Return the place of each id; -1 for ids that are not ranked by themselves."""
        known = (ids >= 0) & (ids < len(self._place_of))
        return np.where(known, self._place_of[np.where(known, ids, 0)], -1)

    @cached_property
    def _place_of(self) -> Ints:
        places = np.full(int(self.ids.max(initial=0)) + 1, -1, dtype=np.int64)
        places[self.ids] = np.arange(len(self.ids))
        return places

    def by_definition(self, places: Iterable[int]) -> tuple[tuple[int, ...], ...]:
        """Group places by file and qualified name, in the given order; overloads, for example, are one definition."""
        groups: dict[tuple[int, str], list[int]] = {}
        for place in places:
            groups.setdefault((int(self.file[place]), self.qualified_names[place]), []).append(place)
        return tuple(map(tuple, groups.values()))

    def of_file(self, file: int) -> range:
        """Return the places of a file's symbols."""
        return range(*np.searchsorted(self.file, (file, file + 1)).tolist())


@dataclass(frozen=True, eq=False)
class CommitColumns:
    """
    Commits whose messages are known, each with a place.

    Args:
        lengths: (commits, 1): terms of the message.
        commits: Place of the commit, once for each file that it touched.
        files: Place of that file.
    """

    lengths: Floats
    commits: Ints
    files: Ints

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Everything that can be ranked in one snapshot. Never changes; made once and kept."""

    files: FileColumns
    symbols: SymbolColumns
    commits: CommitColumns

    @cached_property
    def is_test_in_code(self) -> Bools:
        """For each symbol, whether it is a test in the same file as the code that it tests."""
        return (self.symbols.marks & SymbolMark.TEST) > 0

    @cached_property
    def is_redeclared(self) -> Bools:
        """For each symbol, whether it is in a stub file and shares its qualified name with a definition elsewhere."""
        stubs = [row.role is FileRole.STUB for row in self.files.rows]
        if not any(stubs):
            return np.zeros(len(self.symbols), dtype=bool)
        pairs = [
            (name, stubs[file]) for name, file in zip(self.symbols.qualified_names, self.symbols.file, strict=True)
        ]
        defined = {name for name, in_stub in pairs if not in_stub}
        return np.array([in_stub and name in defined for name, in_stub in pairs], dtype=bool) & ~self.symbols.is_module


@dataclass(frozen=True, slots=True)
class Postings:
    """
    Occurrences of the terms of a query.

    Args:
        units: Place of the file, symbol or commit.
        terms: Position of the term in the query.
        counts: (postings, fields): occurrences, 255 at most; commits have one field.
    """

    units: Ints
    terms: Ints
    counts: NDArray[np.uint8]

    def only(self, wanted: Bools) -> Postings:
        """Return the postings of units where `wanted` is true."""
        kept = wanted[self.units]
        return Postings(self.units[kept], self.terms[kept], self.counts[kept])


@dataclass(frozen=True, slots=True)
class TermPostings:
    """Postings of the terms of a query, at each level."""

    files: Postings
    symbols: Postings
    commits: Postings


def _grouped(keys: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
    groups: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        if key:
            groups.setdefault(key, []).append(place)
    return {key: tuple(places) for key, places in groups.items()}
