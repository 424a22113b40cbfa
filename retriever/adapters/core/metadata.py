"""What the files of a core layer are about; cached after the first read."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from retriever.domain.declared.metadata import FileMetadata

if TYPE_CHECKING:
    from retriever.adapters.core.database import Database


class SqliteMetadata:
    """Implements `Metadata`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._files: tuple[FileMetadata, ...] | None = None

    def all(self) -> tuple[FileMetadata, ...]:
        """Return the metadata of each file, in order of path."""
        with self._lock:
            if self._files is None:
                rows = self._database.rows("file_metadata")
                self._files = tuple(
                    FileMetadata(path, domain, tuple(concepts.splitlines())) for path, domain, concepts in rows
                )
            return self._files


def open_metadata(database: Database) -> SqliteMetadata | None:
    """Return the reader; None for a core of an older release without metadata of files."""
    return SqliteMetadata(database) if database.rows("has_file_metadata") else None
