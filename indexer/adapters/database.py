"""Opens SQLite files that are kept and changed, by several threads and processes at a time."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_WAIT_SECONDS = 30.0


def open_database(file: Path, schema: str) -> sqlite3.Connection:
    """
    Open a file and its tables, which are made if they are not there.

    The connection may be used by any thread, by one at a time; statements outside of `BEGIN` are committed one by one.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=_WAIT_SECONDS)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.executescript(schema)
    return database
