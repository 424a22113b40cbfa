"""Opens persistent SQLite files for several threads and processes."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from common.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_AGAIN_SECONDS = 0.01
# Numbers that SQLite returns for keywords of its pragmas.
_NUMBERS = {"OFF": 0, "ON": 1, "NORMAL": 1, "FULL": 2, "INCREMENTAL": 2}
_PRIMARY = 0xFF
"""Mask of the primary result code; the other bits are the extended code."""


def open_database(
    file: Path | None,
    schema: str,
    *pragmas: str,
    wait_seconds: float = 30.0,
    isolation_level: Literal["DEFERRED"] | None = None,
) -> sqlite3.Connection:
    """
    Open a database file; its folder and tables are created if they are missing.

    Any thread may use the connection, one at a time. A power failure may lose the last statements, but does not damage
    the file.

    Args:
        file: None keeps all in memory.
        schema: Statements that create missing tables.
        pragmas: Further pragmas, for example "foreign_keys = ON". Those already in effect are not set again: SQLite
            would write them, so that with a full disk the file could not be opened.
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
        # Pragmas first: some, such as auto_vacuum, have effect only before anything is written to a new file.
        for pragma in ("synchronous = NORMAL", *pragmas):
            name, _, word = pragma.partition(" = ")
            if database.execute(f"PRAGMA {name}").fetchone() != (_NUMBERS[word],):
                database.execute(f"PRAGMA {pragma}")
        _log_ahead(database, wait_seconds)
        database.executescript(schema)
    except BaseException:
        database.close()
        raise
    return database


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one transaction; other processes that write wait from its beginning."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # a disk that is full has ended it already
            database.execute("ROLLBACK")
        raise


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the file is damaged, rather than unreachable, full or locked."""
    return primary_code(error) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


def primary_code(error: Exception) -> int:
    """Return SQLite's primary result code of an error, such as `sqlite3.SQLITE_READONLY`; 0 for other exceptions."""
    return int(getattr(error, "sqlite_errorcode", 0)) & _PRIMARY


@contextmanager
def needed(file: Path) -> Iterator[None]:
    """Wrap the opening of a file whose data cannot be recreated: a damaged one stops the start."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        text = f"{file}: damaged ({error}); bring back a copy of it, or move it away to begin without what it held"
        raise StartupError(text) from error


def opened_anew(file: Path, opening: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """
    Open a file whose data is expendable; a damaged one is set aside and recreated.

    Args:
        file: What `opening` opens.
    """
    try:
        return opening()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        set_aside(file, error)
        return opening()


def set_aside(file: Path, error: sqlite3.Error) -> None:
    """Rename a damaged file to `<name>.damaged`, replacing an earlier one; no process has it open."""
    import structlog  # slow to load, and an indexing process needs it for nothing else

    structlog.get_logger(__name__).error("database.set_aside", file=str(file), error=str(error))
    for end in ("-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    file.replace(file.with_name(f"{file.name}.damaged"))


def _log_ahead(database: sqlite3.Connection, wait_seconds: float) -> None:
    """Switch to the write-ahead log; retried, as two processes that open a new file collide whatever the timeout."""
    until = time.monotonic() + wait_seconds
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > until:
                raise
            time.sleep(_AGAIN_SECONDS)
