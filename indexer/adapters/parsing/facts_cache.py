"""Facts of files in SQLite, shared by all repositories of a data folder."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from common.stores.sqlite import open_database
from indexer.adapters.parsing.packing import Damaged, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indexer.domain.parsing import FileFacts

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, packed BLOB NOT NULL);
"""
_CHUNK = 500
_FREE_PART = 10
"""The database is vacuumed if its free pages exceed the size limit divided by this."""


class SqliteFactsCache:
    """
    Keeps facts in one file; `prune` removes the oldest if it exceeds its limit.

    A damaged file is deleted and created anew, as all its content can be computed again. While a file cannot be used,
    for example because the disk is full, the cache has no effect and the file stays as it is.

    Args:
        file: Database file; created if it does not exist.
        max_bytes: If the entries take more than this, `prune` removes the oldest fifth.
        wait_seconds: Longest wait for another process that writes.
    """

    def __init__(self, file: Path, max_bytes: int, *, wait_seconds: float = 30.0) -> None:
        self._file = file
        self._wait_seconds = wait_seconds
        self._max_bytes = max_bytes
        self._connection = self._opened()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def get(self, keys: Sequence[str]) -> dict[str, FileFacts]:
        """Return the stored facts of these keys; damaged entries count as missing."""
        found: dict[str, FileFacts] = {}
        for start in range(0, len(keys), _CHUNK):
            for key, packed in self._rows(keys[start : start + _CHUNK]):
                try:
                    found[key] = unpack(key, packed)
                except Damaged:
                    continue
        return found

    def put(self, facts: Sequence[FileFacts]) -> None:
        """Keep facts; without effect if the file cannot be written, since nothing is lost by that."""
        rows = [(each.key, each.packed or pack(each)) for each in facts if each.keep]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO facts (key, packed) VALUES (?, ?)", rows)
        except sqlite3.OperationalError:
            return

    def prune(self) -> None:
        """Remove the oldest fifth of the entries if they exceed the limit; do nothing if the file cannot be used."""
        try:
            self._prune()
        except sqlite3.OperationalError:
            return

    def _prune(self) -> None:
        if self._bytes("page_count") - self._bytes("freelist_count") > self._max_bytes:
            with self._connection:
                self._connection.execute(
                    "DELETE FROM facts WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 5 FROM facts)"
                )
        if self._bytes("freelist_count") > self._max_bytes // _FREE_PART:
            self._connection.execute("VACUUM")

    def _bytes(self, pages: str) -> int:
        """Return the bytes of the pages that a pragma counts ("page_count" or "freelist_count")."""
        count, size = (self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in (pages, "page_size"))
        return int(count * size)

    def _rows(self, keys: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        marks = ",".join("?" * len(keys))
        try:
            yield from self._connection.execute(f"SELECT key, packed FROM facts WHERE key IN ({marks})", keys)  # noqa: S608 - marks are "?" only
        except sqlite3.OperationalError:
            return
        except sqlite3.DatabaseError:
            self._connection.close()
            self._discard()
            self._connection = self._opened()

    def _opened(self) -> sqlite3.Connection:
        try:
            return open_database(
                self._file, _SCHEMA, "synchronous = OFF", wait_seconds=self._wait_seconds, isolation_level="DEFERRED"
            )
        except sqlite3.OperationalError:
            return _nothing()
        except sqlite3.DatabaseError:
            self._discard()
            return self._opened()

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)


def _nothing() -> sqlite3.Connection:
    """Return an empty database that stores nothing."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(_SCHEMA)
    connection.execute("PRAGMA query_only=1")
    return connection
