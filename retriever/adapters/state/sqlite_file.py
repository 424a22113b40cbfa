"""A database of this service's own state, whose rows are forgotten by age and number."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from common.stores.sqlite import open_database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from common.core.clock import Clock

_BUSY_SECONDS = 10.0
_SECONDS = 86_400
"""Of a day."""
_TOO_OLD = "DELETE FROM {table} WHERE time < ?"
_TOO_MANY = (
    "DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} ORDER BY time DESC, rowid DESC LIMIT -1 OFFSET ?)"
)
_OF_REPOSITORY = "DELETE FROM {table} WHERE repository = ? AND time < ?"


def open_state_file(path: Path, schema: str, *pragmas: str) -> sqlite3.Connection:
    """
    Open a database as `open_database` does.

    Args:
        schema: Name of the file in `retriever/queries` whose tables it has.
        pragmas: Settings besides those of any database, for example "foreign_keys = ON".
    """
    tables = files("retriever").joinpath(f"queries/{schema}.sql").read_text(encoding="utf-8")
    return open_database(path, tables, *pragmas, wait_seconds=_BUSY_SECONDS)


class StateFile:
    """
    A database that one thread at a time uses.

    It is opened by the first who does: a file that is damaged, or a disk that is not there, holds up no start, and may
    be mended meanwhile.

    Args:
        opening: Opens it.
        table: Holds what is forgotten, with the columns `repository` and `time`.
        days: Age at which a row is forgotten.
        most: Rows that are kept at most; the oldest go first.
    """

    def __init__(
        self, opening: Callable[[], sqlite3.Connection], table: str, clock: Clock, *, days: float, most: int
    ) -> None:
        self._opening = opening
        self._table = table
        self._clock = clock
        self._seconds = days * _SECONDS
        self._most = most
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def now(self) -> float:
        """Return the time that a row gets, in seconds since 1970."""
        return self._clock.now().timestamp()

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """Give the connection to one thread."""
        with self._lock:
            if self._opened is None:
                self._opened = self._opening()
            yield self._opened

    def prune(self, connection: sqlite3.Connection) -> None:
        """Forget the rows that are too old, or too many."""
        connection.execute(_TOO_OLD.format(table=self._table), (self.now() - self._seconds,))
        connection.execute(_TOO_MANY.format(table=self._table), (self._most,))

    def forget(self, repository: str, before: datetime) -> None:
        """Forget the rows of a repository from before a moment."""
        with self.using() as connection:
            connection.execute(_OF_REPOSITORY.format(table=self._table), (repository, before.timestamp()))

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
