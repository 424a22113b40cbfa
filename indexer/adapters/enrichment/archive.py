"""Caches notes on files in SQLite, for all repositories, so that no request to the model is repeated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from common.stores.sqlite import open_database, opened_anew
from indexer.adapters.store.disk import storage_errors
from indexer.domain.text.enrichment import FileNote

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SCHEMA = "CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID"


class SqliteNoteArchive:
    """
    Implements `NoteArchive`.

    Args:
        file: Database file; created if it does not exist.
    """

    def __init__(self, file: Path) -> None:
        self._database = opened_anew(file, lambda: open_database(file, _SCHEMA))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def get(self, keys: Sequence[str]) -> dict[str, FileNote]:
        """Return the stored notes of these keys."""
        query = "SELECT key, note FROM notes WHERE key IN (SELECT value FROM json_each(?))"
        return {key: _note(*json.loads(plain)) for key, plain in self._database.execute(query, (json.dumps(keys),))}

    def put(self, key: str, note: FileNote) -> None:
        """Store a note under a key. Raises StorageFull, StorageRefused."""
        plain = json.dumps([note.purpose, note.domain, note.concepts])
        with storage_errors():
            self._database.execute("INSERT OR REPLACE INTO notes (key, note) VALUES (?, ?)", (key, plain))


def _note(purpose: str, domain: str, concepts: list[str]) -> FileNote:
    return FileNote(purpose, domain, tuple(concepts))
