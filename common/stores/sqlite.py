"""Opens SQLite files that are kept and changed, by several threads and processes at a time."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_AGAIN_SECONDS = 0.01


def open_database(file: Path, schema: str, *pragmas: str, wait_seconds: float = 30.0) -> sqlite3.Connection:
    """
    Open a file and its tables, which are made with its folder if they are not there.

    The connection may be used by any thread, by one at a time; statements outside of `BEGIN` are committed one by one.
    A power cut may cost the last of them, never the form of the file.

    Args:
        schema: Statements that make what is not there yet.
        pragmas: Settings besides these, for example "foreign_keys = ON".
        wait_seconds: How long a statement waits for another process that writes.

    Raises sqlite3.Error if the file is damaged, or cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=wait_seconds)
    _log_ahead(database, wait_seconds)
    for pragma in ("synchronous = NORMAL", *pragmas):
        database.execute(f"PRAGMA {pragma}")
    database.executescript(schema)
    return database


def _log_ahead(database: sqlite3.Connection, wait_seconds: float) -> None:
    """Switch to the write-ahead log; two that open a new file at once refuse each other there, whatever the timeout."""
    until = time.monotonic() + wait_seconds
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > until:
                raise
            time.sleep(_AGAIN_SECONDS)
