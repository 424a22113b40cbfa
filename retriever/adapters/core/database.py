"""A core layer's SQLite file, opened read-only, with as many connections as there are concurrent queries."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from contextlib import contextmanager
from enum import IntEnum
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import numpy as np

from common.core.runtime.concurrency import raise_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

E = TypeVar("E", bound=IntEnum)
_CACHE_KIB = 2048
"""Page cache of each connection; small, since the operating system caches the file."""

_ADDED = {
    "files": "0 AS role",
    "symbols": "0 AS marks",
    "facts": "NULL AS file_id, 0 AS end_line, '' AS detail, 0 AS origin, 0 AS above, 0 AS is_plain",
}
"""By table, columns that cores of the previous schema version lack, with neutral values in their place."""
_NAMED = re.compile(r"^-- name: (\w+)\n(.*?;)$", re.MULTILINE | re.DOTALL)


def read_statements() -> Mapping[str, str]:
    """Read the named statements of `retriever/queries/core.sql`."""
    text = files("retriever").joinpath("queries/core.sql").read_text(encoding="utf-8")
    return dict(_NAMED.findall(text))


class Database:
    """
    Runs queries from any number of threads; a query of a call that was cancelled is not started.

    Args:
        path: The database file; it must never change.
        statements: SQL by name.
        edges: Another database file whose table `edges` replaces that of `path`; None for none.
    """

    def __init__(self, path: Path, statements: Mapping[str, str], edges: Path | None = None) -> None:
        self._uri = _read_only(path)
        self._edges = _read_only(edges) if edges else ""
        self._statements = statements
        self._lock = threading.Lock()
        self._free: list[sqlite3.Connection] = []
        self._closed = False

    def rows(self, statement: str, **parameters: object) -> list[tuple[Any, ...]]:
        """Return all rows of a named statement. Raises sqlite3.DatabaseError if the file is damaged."""
        with self._connection() as connection:
            return connection.execute(self._statements[statement], parameters).fetchall()

    def table(self, statement: str, row: np.dtype[np.void], **parameters: object) -> NDArray[np.void]:
        """Return all rows as an array; for whole tables, since tuples would take ten times the memory."""
        with self._connection() as connection:
            return np.fromiter(connection.execute(self._statements[statement], parameters), dtype=row)

    def close(self) -> None:
        """Close all connections, those in use as soon as their query ends; no query may be started afterwards."""
        with self._lock:
            self._closed = True
            while self._free:
                self._free.pop().close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        raise_if_cancelled()
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if self._closed:
                connection.close()
            else:
                self._free.append(connection)

    def _take(self) -> sqlite3.Connection:
        """Return the free connection that was used last, or a new one."""
        with self._lock:
            if self._closed:
                raise sqlite3.ProgrammingError("the database is closed")
            if self._free:
                return self._free.pop()
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        # Several threads use the connection, but never two at a time.
        connection = sqlite3.connect(self._uri, uri=True, check_same_thread=False, isolation_level=None)
        if self._edges:  # SQLite resolves the name to the temporary view, not to the table
            connection.execute("ATTACH ? AS precise", (self._edges,))
            connection.execute("CREATE TEMP VIEW edges AS SELECT * FROM precise.edges")
        for table, columns in _ADDED.items():
            first = columns.partition(",")[0].rpartition(" ")[2]
            if first not in {row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")}:
                connection.execute(f"CREATE TEMP VIEW {table} AS SELECT *, {columns} FROM main.{table}")  # noqa: S608
        # With a memory map, a read error would kill the process instead of raising, and the map counts as its memory.
        connection.execute("PRAGMA mmap_size = 0")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA query_only = 1")
        return connection


def _read_only(path: Path) -> str:
    return f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"


def by_number(kind: type[E]) -> Mapping[int, E]:
    """Return the members of an enumeration by number; for many rows much faster than calling the enumeration."""
    return {int(each): each for each in kind}


def as_list(values: Iterable[int | str]) -> str:
    """Return a list as JSON, which the statements expect as a parameter."""
    return json.dumps(list(values))


def match_any(words: Iterable[str]) -> str:
    """Return a full-text expression for any of the words, quoted so that none is an operator; "" without words."""
    kept = dict.fromkeys(word.replace('"', "").replace("\0", "").strip() for word in words)
    return " OR ".join(f'"{word}"' for word in kept if word)
