"""A SQLite file that threads of one process share."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from common.stores.sqlite import needed, open_database

if TYPE_CHECKING:
    from pathlib import Path


class SharedFile:
    """
    A database file, created if it does not exist; may be used by several threads.

    Args:
        schema: Statements that make what is missing.
    """

    def __init__(self, file: Path, schema: str) -> None:
        self._lock = threading.Lock()
        with needed(file):
            self._connection = open_database(file, schema)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()
