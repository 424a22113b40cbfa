"""
The lexical index: how often each term occurs in each field of each symbol and file.

It is made in two steps. `count_file` counts the terms of one file; its result can be cached. `assemble` turns the
counts of all files into one row for each term. The layout of the rows is part of docs/snapshot-format.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from common.core.words.terms import count_terms
from indexer.domain.model import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.domain.model import ParsedFile, SymbolDef

_MAX_COUNT = 255
_MAX_PROSE_CHARACTERS = 1 << 16
"""In files without symbols, only terms in this many first characters are counted: data must not outweigh code."""


class Field(IntEnum):
    """Column of the counts; numbers are those of the snapshot format."""

    NAME = 0
    SCOPE = 1
    SIGNATURE = 2
    DOC = 3
    BODY = 4
    TEXT = 5


@dataclass(frozen=True, slots=True)
class FileTerms:
    """
    Term counts of one file: a pure function of its path, text and symbols. `marshal` can serialize all parts.

    A unit is a symbol that is ranked on its own. A posting is a (unit, term) pair with one byte for each field.

    Args:
        vocabulary: Terms of the file, in order of first occurrence.
        units: uint32: positions of the units in the file's list of symbols.
        unit_lengths: uint32 (units, fields): terms in each field of each unit.
        posting_units: uint32: for each posting the position of the symbol; ascending.
        posting_terms: uint32: for each posting the position of the term in the vocabulary.
        posting_counts: uint8 (postings, fields), 255 at most.
        file_lengths: uint32 (fields): terms in each field of the file.
        file_counts: uint8 (vocabulary, fields), 255 at most.
    """

    vocabulary: tuple[str, ...]
    units: bytes
    unit_lengths: bytes
    posting_units: bytes
    posting_terms: bytes
    posting_counts: bytes
    file_lengths: bytes
    file_counts: bytes


@dataclass(frozen=True, slots=True)
class PlacedTerms:
    """Term counts of one file with its ids in code.db; ids of its symbols are consecutive, in order of its list."""

    file_id: int
    first_symbol_id: int
    terms: FileTerms


class TermRow(NamedTuple):
    """One row of `lexical_terms`, in order of its columns; postings are laid out as in docs/snapshot-format.md."""

    term: str
    symbols: bytes
    files: bytes
    commits: bytes


@dataclass(frozen=True, slots=True)
class LevelRow:
    """One row of `lexical_levels`: uint32 ids, ascending, and uint32 (ids, fields) lengths; commits have one field."""

    level: str
    ids: bytes
    lengths: bytes


def count_file(path: str, text: str, parsed: ParsedFile) -> FileTerms:
    """
    Count the terms of one file.

    In a text without symbols, terms that occur only after the first 65,536 characters count once, and do not add to the
    length: they can be found, with little weight.
    """
    builder = _Builder()
    if parsed.symbols:
        owners = _own_text(text, parsed.symbols)
        for position, own in owners.items():
            builder.add_unit(position, _symbol_fields(parsed, position, own))
    else:
        head = len(text)
        if head > _MAX_PROSE_CHARACTERS:
            head = text.rfind("\n", 0, _MAX_PROSE_CHARACTERS) + 1 or _MAX_PROSE_CHARACTERS
        builder.add_text(Field.BODY, text[:head])
        builder.add_presence(Field.BODY, text[head:])
    builder.add_text(Field.SCOPE, path)
    return builder.build()


class _Builder:
    """Collects postings of one file."""

    def __init__(self) -> None:
        self._vocabulary: defaultdict[str, int] = defaultdict()
        self._vocabulary.default_factory = self._vocabulary.__len__
        self._units: list[int] = []
        # (unit, field, number of postings) for each run of `_terms` and `_counts`.
        self._runs: list[tuple[int, int, int]] = []
        self._terms: list[int] = []
        self._counts: list[int] = []
        self._texts: list[tuple[Field, Mapping[str, int]]] = []
        self._present: list[tuple[Field, str]] = []

    def add_unit(self, position: int, fields: Mapping[Field, Mapping[str, int]]) -> None:
        self._units.append(position)
        for field, counts in fields.items():
            self._add(position, field, counts)

    def add_text(self, field: Field, text: str) -> None:
        self._texts.append((field, count_terms(text)))

    def add_presence(self, field: Field, text: str) -> None:
        """Count each term of a text once if it has no other count in the field, and add nothing to the length."""
        self._present += [(field, term) for term in count_terms(text)]

    def build(self) -> FileTerms:
        of_units = len(self._terms)
        for field, found in sorted(self._texts, key=itemgetter(0)):
            self._add(0, field, found)
        present = [(self._vocabulary[term], field) for field, term in self._present]
        size = len(self._vocabulary)
        runs = np.array(self._runs, dtype=np.int64).reshape(-1, 3)
        positions, fields = runs[:, :2].repeat(runs[:, 2], axis=0).T
        terms, counts = np.array(self._terms, dtype=np.int64), np.array(self._counts, dtype=np.int64)
        file_counts = _summed(terms, fields, counts, size)
        for place in present:
            file_counts[place] = max(file_counts[place], 1)
        own = slice(of_units)
        keys, rows = np.unique(positions[own] * size + terms[own], return_inverse=True)
        units = np.array(self._units, dtype=np.int64)
        unit_lengths = _summed(np.searchsorted(units, positions[own]), fields[own], counts[own], len(units))
        size = max(size, 1)
        return FileTerms(
            tuple(self._vocabulary),
            units.astype(np.uint32).tobytes(),
            unit_lengths.astype(np.uint32).tobytes(),
            (keys // size).astype(np.uint32).tobytes(),
            (keys % size).astype(np.uint32).tobytes(),
            _capped(_summed(rows, fields[own], counts[own], len(keys))),
            np.bincount(fields, counts, len(Field)).astype(np.uint32).tobytes(),
            _capped(file_counts),
        )

    def _add(self, position: int, field: Field, counts: Mapping[str, int]) -> None:
        self._runs.append((position, field, len(counts)))
        self._terms += map(self._vocabulary.__getitem__, counts)
        self._counts += counts.values()


def _summed(
    rows: NDArray[np.int64], fields: NDArray[np.int64], counts: NDArray[np.int64], size: int
) -> NDArray[np.float64]:
    """Return the sums of counts by row and field, as an array of shape (size, fields)."""
    sums = np.bincount(rows * len(Field) + fields, counts, size * len(Field))
    return sums.astype(np.float64, copy=False).reshape(size, len(Field))


def _capped(counts: NDArray[np.float64]) -> bytes:
    return np.minimum(counts, _MAX_COUNT).astype(np.uint8).tobytes()


def _symbol_fields(parsed: ParsedFile, position: int, own: str) -> dict[Field, Mapping[str, int]]:
    symbol = parsed.symbols[position]
    scope, _, _ = symbol.qualified_name.rpartition(".")
    texts = {
        Field.NAME: symbol.name if symbol.kind != SymbolKind.MODULE else "",
        Field.SCOPE: scope,
        Field.SIGNATURE: "\n".join((symbol.signature, *symbol.decorators)),
        Field.DOC: symbol.docstring,
        Field.BODY: own,
        Field.TEXT: prose_of_code(own, parsed.language),
    }
    return {field: count_terms(text) for field, text in texts.items() if text}


def _own_text(text: str, symbols: Sequence[SymbolDef]) -> dict[int, str]:
    """
    Return the own lines of each unit: all lines of a function; lines of a class or module that no member contains.

    What is defined inside a function is part of that function and no unit.
    """
    lines = text.split("\n")
    owner = [0] * len(lines)
    units: dict[int, list[str]] = {}
    for position, symbol in enumerate(symbols):
        if _is_unit(symbols, position):
            units[position] = []
            end = min(symbol.end_line, len(lines))
            owner[symbol.start_line - 1 : end] = [position] * max(0, end - symbol.start_line + 1)
    for line, position in zip(lines, owner, strict=True):
        units[position].append(line)
    return {position: "\n".join(own) for position, own in units.items()}


def _is_unit(symbols: Sequence[SymbolDef], position: int) -> bool:
    if symbols[position].kind == SymbolKind.VARIABLE:
        return False
    parent = symbols[position].parent
    while parent > 0:
        if symbols[parent].kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            return False
        parent = symbols[parent].parent
    return True


_HASH_LANGUAGES = frozenset({"cython", "elixir", "python", "ruby", "shell", "terraform"})
_HASH, _SLASHES = re.compile(r"[#\"'`]"), re.compile(r"//|/\*|[\"'`]")
# The rest of a comment or literal after its opening delimiter; group 1 is the closing one, None if it is missing.
_COMMENT_LINE = re.compile(r"[^\n]*+()")
_OF_HASH = {
    "#": _COMMENT_LINE,
    '"': re.compile(r"(?:[^\"\\\n]|\\.)*+(\")?"),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+(')?"),
    "`": re.compile(r"(?:[^`\\]|\\.)*+(`)?"),
}
_OF_SLASHES = {
    "//": _COMMENT_LINE,
    "/*": re.compile(r"(?:[^*]|\*(?!/))*+(\*/)?"),
    '"': re.compile(r"(?:[^\"\\\n]|\\.)*+(\")?", re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+(')?", re.DOTALL),
    "`": re.compile(r"(?:[^`\\]|\\.)*+(`)?", re.DOTALL),
}


def prose_of_code(code: str, language: str) -> str:
    """Return comments and string literals, found by their delimiters alone; unclosed ones are ignored."""
    is_hash = language in _HASH_LANGUAGES
    opening, rest = (_HASH, _OF_HASH) if is_hash else (_SLASHES, _OF_SLASHES)
    found: list[str] = []
    searched: dict[str, int] = {}  # delimiter → end of the text without a closing one, not searched again
    at = 0
    while opened := opening.search(code, at):
        mark, at = opened[0], opened.end()
        if at <= searched.get(mark, 0):
            continue
        body = rest[mark].match(code, at)
        if body is None or body[1] is None:
            searched[mark] = body.end() if body else at
        else:
            at = body.end()
            found.append(code[opened.start() : at])
    return "\n".join(found)


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """The assembled index, ready to be written."""

    levels: tuple[LevelRow, ...]
    rows: Iterator[TermRow]


def assemble(files: Iterable[PlacedTerms], messages: Sequence[str] = ()) -> LexicalIndex:
    """
    Turn the counts of all files, and messages of commits, into one row for each term, in order of first occurrence.

    Files must come in ascending order of their ids and symbol ids; messages get the ids 1, 2, ... Takes about 14 bytes
    of memory for each posting.
    """
    vocabulary: dict[str, int] = {}
    symbols, whole, commits = _Level("symbol"), _Level("file"), _Level("commit", fields=1)
    for placed in files:
        counts = placed.terms
        numbers = _numbered(vocabulary, counts.vocabulary)
        first = np.uint32(placed.first_symbol_id)
        symbols.add_units(_u32(counts.units) + first, counts.unit_lengths)
        symbols.add_postings(
            _u32(counts.posting_units) + first, numbers[_u32(counts.posting_terms)], counts.posting_counts
        )
        whole.add_units(np.array([placed.file_id], dtype=np.uint32), counts.file_lengths)
        whole.add_postings(np.full(len(numbers), placed.file_id, dtype=np.uint32), numbers, counts.file_counts)
    for commit_id, message in enumerate(messages, 1):
        found = count_terms(message)
        numbers = _numbered(vocabulary, tuple(found))
        length = np.array([sum(found.values())], dtype=np.uint32)
        commits.add_units(np.array([commit_id], dtype=np.uint32), length.tobytes())
        capped = np.minimum(np.array(list(found.values()), dtype=np.uint32), _MAX_COUNT).astype(np.uint8)
        commits.add_postings(np.full(len(numbers), commit_id, dtype=np.uint32), numbers, capped.tobytes())
    levels = (symbols, whole, commits)
    return LexicalIndex(tuple(level.row() for level in levels), _rows(vocabulary, levels))


def _numbered(vocabulary: dict[str, int], terms: tuple[str, ...]) -> NDArray[np.uint32]:
    numbers = (vocabulary.setdefault(term, len(vocabulary)) for term in terms)
    return np.fromiter(numbers, np.uint32, len(terms))


def _u32(raw: bytes) -> NDArray[np.uint32]:
    return np.frombuffer(raw, dtype=np.uint32)


class _Level:
    """Postings of one level, file after file."""

    def __init__(self, name: str, fields: int = len(Field)) -> None:
        self._name = name
        self._fields = fields
        self._ids: list[NDArray[np.uint32]] = []
        self._lengths: list[bytes] = []
        self._units: list[NDArray[np.uint32]] = []
        self._terms: list[NDArray[np.uint32]] = []
        self._counts: list[bytes] = []

    def add_units(self, ids: NDArray[np.uint32], lengths: bytes) -> None:
        self._ids.append(ids)
        self._lengths.append(lengths)

    def add_postings(self, units: NDArray[np.uint32], terms: NDArray[np.uint32], counts: bytes) -> None:
        self._units.append(units)
        self._terms.append(terms)
        self._counts.append(counts)

    def row(self) -> LevelRow:
        ids = np.concatenate(self._ids) if self._ids else np.empty(0, np.uint32)
        return LevelRow(self._name, ids.tobytes(), b"".join(self._lengths))

    def by_term(self, size: int) -> Iterator[bytes]:
        """Yield the postings of each term number below `size`: uint32 ids, then uint8 (ids, fields)."""
        if not self._terms:
            yield from [b""] * size
            return
        order, bounds = self._order(size)
        units, self._units = np.concatenate(self._units)[order].tobytes(), []
        packed, self._counts = b"".join(self._counts), []
        counts = np.frombuffer(packed, dtype=np.uint8).reshape(-1, self._fields)[order].tobytes()
        del order, packed
        width, fields = np.dtype(np.uint32).itemsize, self._fields
        for start, end in pairwise(bounds.tolist()):  # slicing bytes takes a fifth of the time of slicing arrays
            yield units[start * width : end * width] + counts[start * fields : end * fields]

    def _order(self, size: int) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
        """Return the indices of postings sorted by term, and the bounds of each term in this order."""
        terms, self._terms = np.concatenate(self._terms), []
        order = np.argsort(terms, kind="stable").astype(np.uint32)
        return order, np.searchsorted(terms[order], np.arange(size + 1, dtype=np.uint32))


def _rows(vocabulary: Mapping[str, int], levels: Sequence[_Level]) -> Iterator[TermRow]:
    size = len(vocabulary)
    yield from map(TermRow, vocabulary, *(level.by_term(size) for level in levels))
