"""Reads a published core layer, from which the next one is made."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from indexer.adapters.store.core.core_file import open_core
from indexer.adapters.store.core.table_rows import EDGE, read_edges
from indexer.adapters.store.manifests import intact
from indexer.domain.errors import CoreDamaged
from indexer.domain.model import SymbolKind
from indexer.domain.provisional.published import PublishedFile, PublishedSymbol
from indexer.domain.snapshots.core import FileMetadata
from indexer.domain.tree import KeptFile, Skipped, SkipReason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from indexer.domain.model import EdgeRow
    from indexer.domain.snapshots.snapshot import Layer

_FILES = "SELECT id, language, module, path, sha256, bytes, lines FROM files"
_SOURCE = "SELECT source FROM files WHERE path = ?"
_SKIPPED = "SELECT * FROM skipped ORDER BY path"
_EDITED = "SELECT value FROM meta WHERE key = 'edited'"
_SYMBOLS = """
SELECT id, parent_id, kind, qualified_name, start_line, end_line FROM symbols WHERE file_id = ? ORDER BY id
"""
_EDGES = f"""
SELECT {EDGE} FROM edges WHERE source_id IN (SELECT id FROM symbols WHERE file_id = ?) ORDER BY id
"""  # noqa: S608 (names of ours)
_REACHED = """
SELECT f.path FROM edges e JOIN symbols t ON t.id = e.target_id JOIN files f ON f.id = t.file_id
WHERE e.source_id IN (SELECT value FROM json_each(?)) GROUP BY f.id ORDER BY count(*) DESC, f.path
"""
_METADATA = "SELECT domain, concepts FROM file_metadata WHERE file_id = ?"
_NEXT_IDS = "SELECT (SELECT max(id) FROM files), (SELECT max(id) FROM symbols)"


class SqlitePublishedCores:
    """Opens code.db of published layers."""

    @contextmanager
    def open(self, layer: Layer, folder: Path) -> Iterator[SqlitePublishedCore]:
        """Yield the core layer in a folder; a thread compares it with its manifest meanwhile. Raises CoreDamaged."""
        try:
            database = open_core(folder)
        except sqlite3.OperationalError as error:
            raise CoreDamaged(f"code.db cannot be opened: {error}") from error
        with closing(database), ThreadPoolExecutor(1) as beside:
            yield SqlitePublishedCore(database, beside.submit(intact, layer, folder))


class SqlitePublishedCore:
    """
    One core layer; for use by one thread. All methods raise CoreDamaged.

    Args:
        is_intact: Result of the comparison of the layer with its manifest.
    """

    def __init__(self, database: sqlite3.Connection, is_intact: Future[bool]) -> None:
        self._database = database
        self._is_intact = is_intact
        self._files: dict[str, PublishedFile] | None = None

    def require_intact(self) -> None:
        """Wait until the layer has been compared with its manifest. Raises CoreDamaged if it differs."""
        if not self._is_intact.result():
            raise CoreDamaged("the core layer differs from its manifest")

    def files(self) -> Mapping[str, PublishedFile]:
        """Return its files by path; read at the first call and kept."""
        if self._files is None:
            self._files = {
                path: PublishedFile(file_id, KeptFile(path, sha256, size, lines, self._packed), label, module)
                for file_id, label, module, path, sha256, size, lines in self._rows(_FILES)
            }
        return self._files

    def skipped(self) -> tuple[Skipped, ...]:
        """Return the files that were skipped or indexed as text only, in order of path."""
        # Rows of earlier releases have no words.
        return tuple(Skipped(path, SkipReason(reason), *words) for path, reason, *words in self._rows(_SKIPPED))

    def edited(self) -> frozenset[str]:
        """Return the paths of files edited since the last full linking; only a provisional layer has any."""
        return frozenset(path for (paths,) in self._rows(_EDITED) for path in json.loads(paths))

    def symbols(self, file_id: int) -> tuple[PublishedSymbol, ...]:
        """Return the symbols of a file, in order of id."""
        return tuple(
            PublishedSymbol(symbol, parent, SymbolKind(kind), *rest)
            for symbol, parent, kind, *rest in self._rows(_SYMBOLS, file_id)
        )

    def edges(self, file_id: int) -> tuple[EdgeRow, ...]:
        """Return the edges that start in a file, in order of id."""
        return tuple(read_edges(self._rows(_EDGES, file_id)))

    def reached(self, symbol_ids: Sequence[int]) -> tuple[str, ...]:
        """Return the paths of files that are targets of edges of these symbols, most edges first, ties by path."""
        return tuple(path for (path,) in self._rows(_REACHED, json.dumps(list(symbol_ids))))

    def metadata(self, file_id: int) -> FileMetadata:
        """Return the metadata of a file."""
        ((domain, concepts),) = self._rows(_METADATA, file_id)
        return FileMetadata(domain, tuple(concepts.split("\n")) if concepts else ())

    def last_ids(self) -> tuple[int, int]:
        """Return the greatest ids of a file and of a symbol."""
        ((file_id, symbol_id),) = self._rows(_NEXT_IDS)
        return file_id or 0, symbol_id or 0

    def _packed(self, path: str) -> bytes:
        rows = self._rows(_SOURCE, path)
        if not rows:
            raise CoreDamaged(f"the text of {path} is not there any more")
        return bytes(rows[0][0])

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise CoreDamaged(f"code.db cannot be read: {error}") from error
