"""Opens a database of this service's own state."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from common.stores.sqlite import open_database

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_BUSY_SECONDS = 10.0


def open_state_file(path: Path, schema: str, *pragmas: str) -> sqlite3.Connection:
    """
    Open a database as `open_database` does.

    Args:
        schema: Name of the file in `retriever/queries` whose tables it has.
        pragmas: Settings besides those of any database, for example "foreign_keys = ON".
    """
    tables = files("retriever").joinpath(f"queries/{schema}.sql").read_text(encoding="utf-8")
    return open_database(path, tables, *pragmas, wait_seconds=_BUSY_SECONDS)
