"""A core layer's SQLite file: opened read-only and memory-mapped, one connection for each thread."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_CACHE_KIB = 2048
"""Pages that each connection keeps; small, since the file is mapped."""

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?;)$", re.MULTILINE | re.DOTALL)


def read_statements() -> Mapping[str, str]:
    """Read the named statements of `retriever/queries/core.sql`."""
    text = files("retriever").joinpath("queries/core.sql").read_text(encoding="utf-8")
    return dict(_NAMED.findall(text))


class Database:
    """
    Answers queries from any number of threads.

    Args:
        path: A file that never changes again.
        statements: SQL by name.
        mmap_bytes: How much of it may be mapped.
    """

    def __init__(self, path: Path, statements: Mapping[str, str], mmap_bytes: int = 1 << 32) -> None:
        self._uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
        self._statements = statements
        self._mmap_bytes = mmap_bytes
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[sqlite3.Connection] = []

    def rows(self, statement: str, **parameters: object) -> list[tuple[Any, ...]]:
        """Return all rows of a named statement. Raises sqlite3.DatabaseError if the file is not what it should be."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            self._local.connection = connection
        return connection.execute(self._statements[statement], parameters).fetchall()

    def close(self) -> None:
        """Close the connections of all threads; no query may run or come later."""
        with self._lock:
            while self._connections:
                self._connections.pop().close()

    def _connect(self) -> sqlite3.Connection:
        # The connection is used by one thread and closed by another, after all work is over.
        connection = sqlite3.connect(self._uri, uri=True, check_same_thread=False, isolation_level=None)
        connection.execute(f"PRAGMA mmap_size = {int(self._mmap_bytes)}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA query_only = 1")
        with self._lock:
            self._connections.append(connection)
        return connection


def as_list(values: Iterable[int | str]) -> str:
    """Pack a list as the statements expect it."""
    return json.dumps(list(values))


def match_any(words: Iterable[str]) -> str:
    """Make a full-text expression that matches any of the words, each quoted so that none is an operator; or ""."""
    kept = dict.fromkeys(word.replace('"', "").replace("\0", "").strip() for word in words)
    return " OR ".join(f'"{word}"' for word in kept if word)
