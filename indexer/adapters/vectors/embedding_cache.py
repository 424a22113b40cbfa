"""Keeps vectors by model and text, so that a text is embedded once however often it is indexed."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np

from common.model.embeddings import text_key
from common.stores.sqlite import open_database, opened_anew

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from common.model.embeddings import Vectors

_MOST_VARIABLES = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS embeddings (
  key BLOB PRIMARY KEY,
  vector BLOB NOT NULL,        -- float16, little endian: cosine changes by less than 0.001
  used INTEGER NOT NULL        -- number of the run that read or wrote it last
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY);
"""


class EmbeddingCache:
    """
    A SQLite file of vectors.

    Args:
        file: Database file; created if it does not exist.
        most_rows: If there are more, `close` removes the least recently used.
    """

    def __init__(self, file: Path, most_rows: int) -> None:
        self._most_rows = most_rows
        self._db = opened_anew(file, lambda: open_database(file, _SCHEMA, isolation_level="DEFERRED"))
        with self._db:
            self._run = self._db.execute("INSERT INTO runs DEFAULT VALUES").lastrowid

    def get(self, model: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the cached vectors by text, and mark them as used."""
        keys = {bytes.fromhex(text_key(model, text)): text for text in texts}
        found: dict[str, Vectors] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), _MOST_VARIABLES):
            part = wanted[start : start + _MOST_VARIABLES]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, vector FROM embeddings WHERE key IN ({marks})"  # noqa: S608 (question marks only)
            for key, vector in self._db.execute(query, part):
                found[keys[key]] = np.frombuffer(vector, dtype="<f2").astype(np.float32)
        with self._db:
            used = [(self._run, bytes.fromhex(text_key(model, text))) for text in found]
            self._db.executemany("UPDATE embeddings SET used = ? WHERE key = ?", used)
        return found

    def put(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep one vector for each text."""
        rows = [
            (bytes.fromhex(text_key(model, text)), vector.astype("<f2").tobytes(), self._run)
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO embeddings (key, vector, used) VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Remove rows over the limit, if the file can be written, and close the file."""
        with closing(self._db), suppress(sqlite3.OperationalError), self._db:
            self._db.execute(
                "DELETE FROM embeddings WHERE key IN"
                " (SELECT key FROM embeddings ORDER BY used DESC, key LIMIT -1 OFFSET ?)",
                (self._most_rows,),
            )
