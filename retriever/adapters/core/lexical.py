"""The lexical index of a core layer, whose postings are blobs in the database."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from common.core.runtime.concurrency import detached_from_call
from common.core.words.terms import ANALYZER_VERSION
from retriever.adapters.core.database import as_list
from retriever.adapters.core.files import read_files
from retriever.domain.ranking.corpus import (
    FIELDS,
    CommitColumns,
    Corpus,
    FileColumns,
    Postings,
    SymbolColumns,
    TermPostings,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from retriever.adapters.core.database import Database
    from retriever.domain.values import File

    Ints = NDArray[np.int64]


class SqliteLexical:
    """Implements `Lexical`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._problem: str | None = None

    @property
    def problem(self) -> str:
        """Return why no term can be looked up; "" if terms can be."""
        if self._problem is None:
            meta = dict(self._database.rows("meta"))
            written = meta.get("analyzer_version", str(ANALYZER_VERSION))
            same = written == str(ANALYZER_VERSION)
            self._problem = "" if same else f"the index was written with analyzer {written}; index again"
        return self._problem

    def corpus(self) -> Corpus:
        """Return everything that can be ranked; it is built at the first call and cached."""
        return self._load().corpus

    def postings(self, terms: Sequence[str]) -> TermPostings:
        """Return the postings of terms; unknown terms have none."""
        loaded = self._load()
        found = {row[0]: row[1:] for row in self._database.rows("lexical_terms", terms=as_list(terms))}
        held = [] if self.problem else [(position, found[term]) for position, term in enumerate(terms) if term in found]
        return TermPostings(
            files=_unpack([(position, blobs[1]) for position, blobs in held], loaded.file_places),
            symbols=_unpack([(position, blobs[0]) for position, blobs in held], loaded.symbol_places),
            commits=_unpack([(position, blobs[2]) for position, blobs in held], loaded.commit_places, fields=1),
        )

    def _load(self) -> _Loaded:
        with self._lock, detached_from_call():
            if self._loaded is None:
                self._loaded = _Loaded(self._database)
            return self._loaded


class _Loaded:
    """The corpus, and the place of every id in it."""

    def __init__(self, database: Database) -> None:
        levels = {row[0]: row[1:] for row in database.rows("lexical_levels")}
        files = read_files(database)
        self.file_places = _places([file.id for file in files])
        unit_ids, unit_lengths = _level(levels, "symbol")
        symbols = self._symbols(database, unit_ids, unit_lengths)
        self.symbol_places = _places(symbols.ids)
        commits = database.rows("lexical_commits")
        self.commit_places = _places([row[0] for row in commits])
        self.corpus = Corpus(self._files(database, files, levels), symbols, self._commits(commits, levels))

    def _files(
        self, database: Database, files: tuple[File, ...], levels: dict[str, tuple[bytes, bytes]]
    ) -> FileColumns:
        ids, counted = _level(levels, "file")
        lengths = np.zeros((len(files), FIELDS))
        lengths[self.file_places[ids]] = counted
        changes, last = np.zeros(len(files)), np.zeros(len(files))
        for file_id, number, seconds in database.rows("file_history"):
            changes[self.file_places[file_id]] = number
            last[self.file_places[file_id]] = seconds or 0
        return FileColumns(files, lengths, last, changes)

    def _symbols(self, database: Database, ids: Ints, lengths: NDArray[np.float64]) -> SymbolColumns:
        row_of = _places(ids)
        *columns, names, qualified = tuple(zip(*database.rows("lexical_symbols"), strict=True)) or ((),) * 9
        numbers = np.array(columns, dtype=np.int64)
        ranked = np.flatnonzero(_at(row_of, numbers[0]) >= 0)
        order = ranked[np.lexsort((numbers[0, ranked], numbers[4, ranked], self.file_places[numbers[1, ranked]]))]
        key, file, parent, kind, start, end, marks = np.take(numbers, order, axis=1)
        return SymbolColumns(
            ids=key,
            file=self.file_places[file],
            kind=kind,
            parent=np.where(parent > 0, _at(_places(key), parent), -1),
            start_line=start,
            end_line=end,
            marks=marks,
            names=tuple(names[row] for row in order.tolist()),
            qualified_names=tuple(qualified[row] for row in order.tolist()),
            lengths=lengths[row_of[key]],
        )

    def _commits(self, rows: list[tuple[Any, ...]], levels: dict[str, tuple[bytes, bytes]]) -> CommitColumns:
        touched = [np.frombuffer(files, dtype="<u4") for _, files in rows]
        everything = np.concatenate(touched) if touched else np.empty(0, dtype="<u4")
        _, lengths = _level(levels, "commit", fields=1)
        numbers = np.repeat(np.arange(len(rows)), [len(files) for files in touched])
        return CommitColumns(lengths, numbers, self.file_places[everything])


def _level(levels: dict[str, tuple[bytes, bytes]], name: str, fields: int = FIELDS) -> tuple[Ints, NDArray[np.float64]]:
    ids, lengths = levels.get(name, (b"", b""))
    return (
        np.frombuffer(ids, dtype="<u4").astype(np.int64),
        np.frombuffer(lengths, dtype="<u4").reshape(-1, fields).astype(np.float64),
    )


def _places(ids: Sequence[int] | Ints) -> Ints:
    """Return a table of places by id; -1 for numbers that are no id."""
    keys = np.array(ids, dtype=np.int64)
    places = np.full(int(keys.max(initial=0)) + 1, -1, dtype=np.int64)
    places[keys] = np.arange(len(keys))
    return places


def _at(places: Ints, ids: Ints) -> Ints:
    """Look up the place of each id; -1 also for ids beyond the end of the table."""
    known = ids < len(places)
    return np.where(known, places[np.where(known, ids, 0)], -1)


def _unpack(blobs: Sequence[tuple[int, bytes]], places: Ints, fields: int = FIELDS) -> Postings:
    """Decode and concatenate the postings of several terms."""
    sizes = [len(blob) // (4 + fields) for _, blob in blobs]
    ids = b"".join(blob[: 4 * size] for (_, blob), size in zip(blobs, sizes, strict=True))
    counts = b"".join(blob[4 * size :] for (_, blob), size in zip(blobs, sizes, strict=True))
    return Postings(
        units=places[np.frombuffer(ids, dtype="<u4")],
        terms=np.repeat(np.array([position for position, _ in blobs], dtype=np.int64), sizes),
        counts=np.frombuffer(counts, dtype=np.uint8).reshape(-1, fields),
    )
