"""Stores the edges imported from SCIP indexes in SQLite; the importing process writes, workers read."""

from __future__ import annotations

import hashlib
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from common.stores.sqlite import transaction
from indexer.adapters.precise.packing import pack, unpack
from indexer.adapters.store.archive import SharedFile
from indexer.adapters.store.disk import storage_errors
from indexer.domain.precise.sites import KeptImport

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.domain.precise.sites import PreciseFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  repository TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,              -- of the text that it holds for
  digest TEXT NOT NULL,              -- of the content
  content BLOB NOT NULL,             -- see packing.py
  import_id TEXT NOT NULL DEFAULT 'earlier',
  PRIMARY KEY (repository, path)
);
CREATE TABLE IF NOT EXISTS imports (
  repository TEXT NOT NULL,
  import_id TEXT NOT NULL,
  time TEXT NOT NULL,
  tool TEXT NOT NULL,
  PRIMARY KEY (repository, import_id)
);
CREATE TABLE IF NOT EXISTS withdrawn (
  repository TEXT NOT NULL,
  import_id TEXT NOT NULL,
  files INTEGER NOT NULL,
  PRIMARY KEY (repository, import_id)
);
"""
_ADD_IMPORTS = "ALTER TABLE files ADD COLUMN import_id TEXT NOT NULL DEFAULT 'earlier'"
"""Migration of archives without import ids."""

_PUT = """
INSERT OR REPLACE INTO files (repository, path, sha256, digest, content, import_id) VALUES (?, ?, ?, ?, ?, ?)
"""
_IMPORTED = "INSERT OR REPLACE INTO imports (repository, import_id, time, tool) VALUES (?, ?, ?, ?)"
_IMPORTS = """
SELECT import_id, coalesce(time, ''), coalesce(tool, ''), path, sha256
FROM files LEFT JOIN imports USING (repository, import_id) WHERE repository = ? ORDER BY 2 DESC, 1, path
"""
_FORGET_EMPTY = """
DELETE FROM imports WHERE repository = ?1
AND import_id NOT IN (SELECT import_id FROM files WHERE repository = ?1)
"""
_WITHDRAW = """
INSERT OR REPLACE INTO withdrawn (repository, import_id, files) SELECT repository, import_id, count(*) FROM files
WHERE repository = ? AND import_id = ? GROUP BY import_id
"""
_FINISH = "DELETE FROM withdrawn WHERE repository = ? AND import_id = ?"
_ID_DIGITS = 12


class SqlitePreciseArchive(SharedFile):
    """
    Implements `PreciseArchive`; may be used by several threads and processes.

    Args:
        file: Database file; created if it does not exist.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, _SCHEMA)
        if not any(name == "import_id" for _, name, *_ in self._connection.execute("PRAGMA table_info(files)")):
            self._connection.execute(_ADD_IMPORTS)

    def put(self, repository: str, files: Sequence[PreciseFile], *, tool: str, time: datetime) -> None:
        """Store the edges of files from one SCIP index, replacing earlier ones of these files, in one transaction."""
        packed = [(file, pack(file)) for file in files]
        rows = [(file.path, file.sha256, hashlib.sha256(content).hexdigest(), content) for file, content in packed]
        named = hashlib.sha256(repr(sorted(row[:3] for row in rows)).encode()).hexdigest()[:_ID_DIGITS]
        with self._lock, storage_errors(), transaction(self._connection):
            self._connection.executemany(_PUT, [(repository, *row, named) for row in rows])
            made = (repository, named, time.isoformat(), tool)
            self._connection.execute(_IMPORTED, made)
            self._connection.execute(_FINISH, made[:2])
            self._connection.execute(_FORGET_EMPTY, (repository,))

    def imports(self, repository: str) -> list[KeptImport]:
        """Return the imports of which files are still stored, newest first, ties by id."""
        rows = self._rows(_IMPORTS, repository)
        return [
            KeptImport(
                import_id, datetime.fromisoformat(time) if time else None, tool, {row[3]: row[4] for row in of_import}
            )
            for (import_id, time, tool), of_import in groupby(rows, key=lambda row: row[:3])
        ]

    def withdraw(self, repository: str, import_ids: Sequence[str]) -> None:
        """Delete imports but for their ids and numbers of files, in one transaction."""
        named = [(repository, each) for each in import_ids]
        with self._lock, storage_errors(), transaction(self._connection):
            self._connection.executemany(_WITHDRAW, named)
            self._connection.executemany("DELETE FROM files WHERE repository = ? AND import_id = ?", named)
            self._connection.execute(_FORGET_EMPTY, (repository,))

    def unfinished(self, repository: str) -> dict[str, int]:
        """Return the withdrawn imports that published layers may still contain, with their numbers of files."""
        text = "SELECT import_id, files FROM withdrawn WHERE repository = ? ORDER BY import_id"
        return dict(self._rows(text, repository))

    def finish(self, repository: str, import_ids: Sequence[str]) -> None:
        """Delete the ids of withdrawn imports that no published layer contains any more."""
        with self._lock, storage_errors(), transaction(self._connection):
            self._connection.executemany(_FINISH, [(repository, each) for each in import_ids])

    def texts(self, repository: str) -> dict[str, tuple[str, str]]:
        """Return by path the hash of the source text that edges are stored for, and the hash of these edges."""
        text = "SELECT path, sha256, digest FROM files WHERE repository = ? ORDER BY path"
        return {path: (sha256, digest) for path, sha256, digest in self._rows(text, repository)}

    def files(self, repository: str, paths: Sequence[str]) -> list[PreciseFile]:
        """Return the stored edges of files, in order of path."""
        text = "SELECT path, sha256, content FROM files WHERE repository = ? AND path = ?"
        return [unpack(*row) for path in sorted(paths) for row in self._rows(text, repository, path)]

    def remove(self, repository: str) -> None:
        """Forget the imports of a repository."""
        with self._lock, storage_errors(), transaction(self._connection):
            for table in ("files", "imports", "withdrawn"):
                self._connection.execute(f"DELETE FROM {table} WHERE repository = ?", (repository,))  # noqa: S608 (names of ours)
