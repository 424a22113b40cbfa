"""Reads a published core layer to make the next one from it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from indexer.domain.errors import CoreDamaged
from indexer.domain.tree import KeptFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FILES = "SELECT path, sha256, bytes, lines FROM files"
_SOURCE = "SELECT source FROM files WHERE path = ?"


class SqlitePublishedCores:
    """Opens code.db of published layers."""

    @contextmanager
    def open(self, folder: Path) -> Iterator[SqlitePublishedCore]:
        """Yield the core layer in a folder. Raises CoreDamaged; so do its methods."""
        try:
            database = sqlite3.connect(f"{(folder / 'code.db').as_uri()}?mode=ro&immutable=1", uri=True)
        except sqlite3.OperationalError as error:
            raise CoreDamaged(f"code.db cannot be opened: {error}") from error
        with closing(database):
            yield SqlitePublishedCore(database)


class SqlitePublishedCore:
    """One core layer; for use by one thread."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def files(self) -> dict[str, KeptFile]:
        """Return its files by path."""
        try:
            rows = self._database.execute(_FILES).fetchall()
        except sqlite3.DatabaseError as error:
            raise CoreDamaged(f"files cannot be read: {error}") from error
        return {path: KeptFile(path, sha256, size, lines, self._packed) for path, sha256, size, lines in rows}

    def _packed(self, path: str) -> bytes:
        try:
            ((packed,),) = self._database.execute(_SOURCE, (path,)).fetchall()
        except (sqlite3.DatabaseError, ValueError) as error:
            raise CoreDamaged(f"the text of {path} cannot be read: {error}") from error
        return bytes(packed)
