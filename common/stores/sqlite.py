"""Opens SQLite files that are kept and changed, by several threads and processes at a time."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

_AGAIN_SECONDS = 0.01


def open_database(
    file: Path | None,
    schema: str,
    *pragmas: str,
    wait_seconds: float = 30.0,
    isolation_level: Literal["DEFERRED"] | None = None,
) -> sqlite3.Connection:
    """
    Open a file and its tables, which are made with its folder if they are not there.

    The connection may be used by any thread, by one at a time. A power cut may cost the last statements, never the form
    of the file.

    Args:
        file: None keeps all in memory.
        schema: Statements that make what is not there yet.
        pragmas: Settings besides these, for example "foreign_keys = ON".
        wait_seconds: How long a statement waits for another process that writes.
        isolation_level: None commits statements outside of `BEGIN` one by one; "DEFERRED" begins a transaction before
            the first that changes something.

    Raises sqlite3.Error if the file is damaged, or cannot be written.
    """
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(
        file or ":memory:", check_same_thread=False, isolation_level=isolation_level, timeout=wait_seconds
    )
    try:
        # What the file is made with, as how its free pages are kept, is to be said before anything is written.
        for pragma in ("synchronous = NORMAL", *pragmas):
            database.execute(f"PRAGMA {pragma}")
        _log_ahead(database, wait_seconds)
        database.executescript(schema)
    except BaseException:
        database.close()
        raise
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
