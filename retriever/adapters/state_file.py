"""Opens a database of this service's own state: one file, made with its folder and tables where they are missing."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BUSY_SECONDS = 10.0
"""How long a statement waits for another process that writes."""


def open_state_file(path: Path, schema: str, *pragmas: str) -> sqlite3.Connection:
    """
    Open a database for several threads of which one uses it at a time; each statement is its own transaction.

    Args:
        schema: Name of the file in `retriever/queries` whose tables it has.
        pragmas: Settings besides that of the write-ahead log, for example "foreign_keys = ON".
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=_BUSY_SECONDS)
    for pragma in ("journal_mode = WAL", *pragmas):
        connection.execute(f"PRAGMA {pragma}")
    connection.executescript(files("retriever").joinpath(f"queries/{schema}.sql").read_text(encoding="utf-8"))
    return connection
