"""What was imported of SCIP indexes, in SQLite; an import writes, workers read."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from typing import TYPE_CHECKING

from indexer.adapters.precise.packing import pack, unpack
from indexer.adapters.store.disk import storage_errors

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
  PRIMARY KEY (repository, path)
)
"""


class SqlitePreciseArchive:
    """
    Implements `PreciseArchive`; may be used by several threads and processes.

    Args:
        file: Where; made if it is not there.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=30.0)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def put(self, repository: str, files: Sequence[PreciseFile]) -> None:
        """Keep what is known of files instead of what was known of them before, all or nothing."""
        packed = [(file, pack(file)) for file in files]
        rows = [
            (repository, file.path, file.sha256, hashlib.sha256(content).hexdigest(), content)
            for file, content in packed
        ]
        with self._lock, storage_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def texts(self, repository: str) -> dict[str, tuple[str, str]]:
        """Return by path the hash of the text that something is known of, and a hash of what is known."""
        text = "SELECT path, sha256, digest FROM files WHERE repository = ? ORDER BY path"
        with self._lock:
            rows = self._connection.execute(text, (repository,)).fetchall()
        return {path: (sha256, digest) for path, sha256, digest in rows}

    def files(self, repository: str, paths: Sequence[str]) -> list[PreciseFile]:
        """Return what is known of files, in order of path."""
        text = "SELECT path, sha256, content FROM files WHERE repository = ? AND path = ?"
        found = []
        for path in sorted(paths):
            with self._lock:
                row = self._connection.execute(text, (repository, path)).fetchone()
            if row is not None:
                found.append(unpack(*row))
        return found

    def remove(self, repository: str) -> None:
        """Forget the imports of a repository."""
        with self._lock, storage_errors():
            self._connection.execute("DELETE FROM files WHERE repository = ?", (repository,))
