"""A database of this service's own state, whose rows are deleted by age and number."""

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
"""Seconds of a day."""
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
    A database that only one thread uses at a time.

    It is opened at its first use, so that a damaged file or a missing disk does not prevent the start of the service
    and may be repaired meanwhile.

    Args:
        opening: Opens the database.
        table: Table whose rows are deleted, with the columns `repository` and `time`.
        days: Age at which a row is deleted.
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
        """Yield the connection to one thread at a time; open it at the first use."""
        with self._lock:
            if self._opened is None:
                self._opened = self._opening()
            yield self._opened

    def prune(self, connection: sqlite3.Connection) -> None:
        """Delete the rows that are too old or surplus."""
        connection.execute(_TOO_OLD.format(table=self._table), (self.now() - self._seconds,))
        connection.execute(_TOO_MANY.format(table=self._table), (self._most,))

    def forget(self, repository: str, before: datetime) -> None:
        """Delete the rows of a repository from before a moment."""
        with self.using() as connection:
            connection.execute(_OF_REPOSITORY.format(table=self._table), (repository, before.timestamp()))

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
