"""Writes the core layer: one SQLite file, filled in one transaction by bulk inserts."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from common.core.words.terms import ANALYZER_VERSION
from indexer.adapters.store.core import table_rows as rows
from indexer.adapters.store.core.core_file import CODE_DB, core_schema
from indexer.adapters.store.disk import storage_errors, sync
from indexer.domain.snapshots.canonical import core_digest, edges_by_file, file_digest, symbol_identities
from indexer.domain.snapshots.core import CoreSummary
from indexer.domain.snapshots.lexical import PlacedTerms, assemble
from indexer.domain.snapshots.snapshot import SCHEMA_VERSION, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from indexer.domain.model import Edge
    from indexer.domain.snapshots.core import Core, IndexedFile, Page

_PRAGMAS = (
    "page_size=8192",
    "journal_mode=OFF",  # the file is thrown away if it is not finished
    "synchronous=OFF",  # flushed once at the end
    "locking_mode=EXCLUSIVE",
    "temp_store=MEMORY",
    "cache_size=-16384",
)


class CodeDbWriter:
    """
    Writes code.db.

    Args:
        indexer_version: Kept in the file, for people.
    """

    def __init__(self, indexer_version: str) -> None:
        self._version = indexer_version

    def write(self, core: Core, folder: Path) -> CoreSummary:
        """Write and flush code.db. Raises StorageFull."""
        file = folder / CODE_DB
        with storage_errors():
            with closing(sqlite3.connect(file, isolation_level=None)) as database:
                digest, *numbers = _Filling(database, core).fill(self._version)
            sync(file)
        return CoreSummary(Layer(LayerKind.CORE, digest, file.stat().st_size), *numbers)


class _Filling:
    """One run over a core: ids are assigned in order of path, so that the rows of a file are adjacent."""

    def __init__(self, database: sqlite3.Connection, core: Core) -> None:
        self._database = database
        self._core = core
        self._first_symbol = _first_symbols(core.files)
        self._identities = [symbol_identities(file.parsed.symbols) if file.parsed else () for file in core.files]
        self._edges = 0

    def fill(self, version: str) -> tuple[str, int, int, int]:
        """Fill the tables, and return the digest and the numbers of symbols, edges and pages."""
        for pragma in _PRAGMAS:
            self._database.execute(f"PRAGMA {pragma}")
        tables, indexes = core_schema()
        self._database.execute("BEGIN")
        for statement in tables:
            self._database.execute(statement)
        digests = self._write_edges()
        digest = core_digest(self._core, digests)
        self._write_meta(version, digest)
        for position, file in enumerate(self._core.files):
            rows.write_file(self._database, position + 1, file, digests[position])
        for position, file in enumerate(self._core.files):
            symbols = file.parsed.symbols if file.parsed else ()
            rows.write_symbols(self._database, position + 1, self._ids(position), symbols)
        rows.write_facts(self._database, 1, self._facts())
        rows.write_pages(self._database, 1, ((page, self._documented(page)) for page in self._core.pages))
        rows.write_metadata(self._database, enumerate(self._core.metadata, 1))
        self._write_history()
        self._write_lexical()
        for statement in indexes:
            self._database.execute(statement)
        self._database.execute("COMMIT")
        self._database.execute("ANALYZE")
        return (digest, self._first_symbol[-1] - 1, self._edges, len(self._core.pages))

    def _write_edges(self) -> list[str]:
        """Write edges file by file, as all at once take much memory, and return the digests of the files."""
        digests = []
        for position, edges in enumerate(edges_by_file(self._core)):
            rows.insert(self._database, "edges", 9, self._edge_rows(position, edges))
            digests.append(file_digest(self._core.files[position], ((edge, self._target(edge)) for edge in edges)))
        return digests

    def _target(self, edge: Edge) -> str:
        if edge.target is None:
            return ""
        file, symbol = edge.target
        return f"{self._core.files[file].source.path}:{self._identities[file][symbol]}"

    def _write_meta(self, version: str, digest: str) -> None:
        core = self._core
        meta = {
            "schema_version": str(SCHEMA_VERSION),
            "repository": core.repository,
            "source_identity": core.source_identity,
            "commit": core.revision.commit,
            "dirty": str(int(core.revision.dirty)),
            "indexer_version": version,
            "analyzer_version": str(ANALYZER_VERSION),
            "digest": digest,
            "named_calls": json.dumps(self._named_calls()),
        }
        rows.insert(self._database, "meta", 2, sorted(meta.items()))
        rows.write_skipped(self._database, core.skipped)

    def _named_calls(self) -> list[str]:
        """List the languages whose calls were found by their names."""
        by_name = (position for linked in self._core.edges if linked.by_name for position in linked.files)
        return sorted({self._core.files[position].language for position in by_name} - {""})

    def _ids(self, position: int) -> range:
        """Return the ids of the symbols of a file."""
        return range(self._first_symbol[position], self._first_symbol[position + 1])

    def _facts(self) -> Iterator[rows.Row]:
        for position, file in enumerate(self._core.files):
            yield from rows.facts_of(position + 1, self._ids(position), file)

    def _documented(self, page: Page) -> int | None:
        return None if page.symbol is None else self._first_symbol[page.symbol[0]] + page.symbol[1]

    def _edge_rows(self, position: int, edges: Iterable[Edge]) -> Iterator[tuple[object, ...]]:
        first = self._first_symbol[position]
        for edge in edges:
            self._edges += 1
            target = None if edge.target is None else self._first_symbol[edge.target[0]] + edge.target[1]
            yield (self._edges, *rows.edge_row(first + edge.source[1], target, edge))

    def _write_history(self) -> None:
        ids = {file.source.path: position for position, file in enumerate(self._core.files, 1)}
        history = self._core.history
        changes = (
            (ids[path], each.changes, datetime.fromtimestamp(each.last_change, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
            for path, each in history.files.items()
        )
        rows.insert(self._database, "file_history", 3, changes)
        pairs = ((ids[one], ids[other], count) for (one, other), count in history.cochanges.items())
        both = sorted(row for pair in pairs for row in (pair, (pair[1], pair[0], pair[2])))
        rows.insert(self._database, "cochanges", 3, both)

    def _write_lexical(self) -> None:
        placed = (
            PlacedTerms(position + 1, self._first_symbol[position], file.lexical)
            for position, file in enumerate(self._core.files)
        )
        commits = self._core.history.commits
        index = assemble(placed, [commit.message for commit in commits])
        rows.insert(self._database, "lexical_levels", 3, ((row.level, row.ids, row.lengths) for row in index.levels))
        self._database.executemany(
            "INSERT INTO lexical_terms (term, symbols, files, commits) VALUES (?, ?, ?, ?)",
            index.rows,
        )
        ids = {file.source.path: position for position, file in enumerate(self._core.files, 1)}
        touched = (b"".join(ids[path].to_bytes(4, "little") for path in commit.paths) for commit in commits)
        dated = ((commit.time, files) for commit, files in zip(commits, touched, strict=True))
        rows.insert(self._database, "lexical_commits", 3, ((number, *row) for number, row in enumerate(dated, 1)))


def _first_symbols(files: Sequence[IndexedFile]) -> list[int]:
    """Return the id of the first symbol of each file, then the next free id as the last element."""
    sizes = (len(file.parsed.symbols) if file.parsed else 0 for file in files)
    return list(accumulate(sizes, initial=1))
