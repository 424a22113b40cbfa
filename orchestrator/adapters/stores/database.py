"""One SQLite file, used from one thread of its own, so that the event loop never waits for the disk."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from common.core.errors import DependencyUnavailable
from common.stores.sqlite import is_damage, open_database, primary_code, set_aside
from orchestrator.domain.answers.errors import StorageFull

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

P = ParamSpec("P")
S = TypeVar("S", bound="SqliteStore")
T = TypeVar("T")

_QUERIES = Path(__file__).parents[2] / "queries"
# Freed pages can be returned to the disk only if the file was created with this setting.
_FREED = "auto_vacuum = INCREMENTAL"
_WAIT_SECONDS = 5.0
# Share of a file that may be free, for new rows. More is returned to the disk in pieces, each in about 50 ms.
_FREE_SHARE = 0.1
_PIECE_PAGES = 512
# Time for which a successful change proves that the store can write; and the bytes that a test must write after a
# failure: the size of an answer, since with less room the disk would be full again with the next answer.
_PROVEN_SECONDS = 5.0
_ROOM_BYTES = 256 * 1024
# The disk hangs if an operation takes longer than any should, including its wait for a lock.
_HANGS_SECONDS = 10.0
# After these errors the connection must be opened again: SQLite does not recover from a lost or unwritable file.
_LOST = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}


class StoreClock:
    """
    Wall-clock seconds that never go back or jump while the store is open: the time of opening plus elapsed time.

    Args:
        opened: Seconds since 1970 when the store was opened; at least the latest time stored in it.
        monotonic: Monotonic clock in seconds.
    """

    def __init__(self, opened: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._opened = opened
        self._monotonic = monotonic
        self._since = monotonic()

    def __call__(self) -> float:
        """Return the store's time."""
        return self._opened + self._monotonic() - self._since


class Database:
    """
    A connection to one SQLite file, and the thread that uses it.

    Args:
        path: Path of the file; its folder is created, and a damaged file is renamed. None keeps all in memory.
        name: Name of the schema file in `queries/`, which creates missing tables; also used in error messages.
        monotonic: Monotonic clock in seconds: for the time since the last write, and of the running operation.
    """

    def __init__(self, path: Path | None, name: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._monotonic = monotonic
        self._kept: float | None = None
        self._began: float | None = None

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """
        Do work in one transaction, in the store's thread; an exception rolls it back.

        Raises:
            StorageFull: if the disk is full.
            DependencyUnavailable: if SQLite fails otherwise (file damaged, locked too long, no folder for it); at once
                while the disk hangs, but work that is already waiting for it continues to wait: it may still succeed.
        """
        began = self._began
        if began is not None and self._monotonic() - began > _HANGS_SECONDS:
            raise self._refusal(OSError(errno.ETIMEDOUT, "its disk hangs"))
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transaction, work)

    async def prove(self) -> None:
        """
        Check that the store can write, by a test write unless it has written within the last 5 s.

        Raises:
            DependencyUnavailable: as `run` does.
        """
        kept = self._kept
        if kept is not None and self._monotonic() - kept < _PROVEN_SECONDS:
            return
        room = _ROOM_BYTES if kept is None else 1
        await self.run(lambda connection: connection.execute("INSERT INTO proof (room) VALUES (zeroblob(?))", (room,)))
        await self.run(lambda connection: connection.execute("DELETE FROM proof"))

    async def close(self) -> None:
        """Finish running operations, then close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self._began = self._monotonic()
        try:
            connection = self._connected()
            changes = connection.total_changes
            with connection:
                done = work(connection)
            if connection.total_changes != changes:
                self._kept = self._monotonic()
                _give_back(connection)
            return done
        except (sqlite3.Error, OSError) as error:
            self._kept = None
            if isinstance(error, sqlite3.Error) and is_damage(error):
                self._begin_anew(error)
            elif self._path is not None and primary_code(error) in _LOST:
                self._disconnect()
            raise self._refusal(error) from error
        finally:
            self._began = None

    def _begin_anew(self, error: sqlite3.Error) -> None:
        """Rename a damaged file, so that the next operation creates a new one."""
        self._disconnect()
        if self._path is not None:
            with contextlib.suppress(OSError):
                set_aside(self._path, error)

    def _refusal(self, error: sqlite3.Error | OSError) -> DependencyUnavailable:
        """Return the error for callers, which names the problem but not the file's path."""
        problem = error.strerror if isinstance(error, OSError) else error
        text, metadata = f"the {self._name} store does not work ({problem})", {"dependency": self._name}
        is_full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        if is_full or getattr(error, "errno", 0) == errno.ENOSPC:
            return StorageFull(f"{text}; free space on its disk", metadata=metadata)
        return DependencyUnavailable(f"{text}; check its disk and file", metadata=metadata)

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            schema = (_QUERIES / f"{self._name}.sql").read_text(encoding="utf-8")
            self._connection = open_database(
                self._path, schema, _FREED, wait_seconds=_WAIT_SECONDS, isolation_level="DEFERRED"
            )
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class SqliteStore:
    """
    A store in one SQLite file, whose methods are transactions.

    Args:
        path: Path of the file; None keeps all in memory.
        name: As of `Database`.
    """

    def __init__(self, path: Path | None, name: str) -> None:
        self._database = Database(path, name)

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()


def transaction(
    work: Callable[Concatenate[S, sqlite3.Connection, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Return a method that does `work` as `Database.run` does; for methods of an `SqliteStore`."""

    @functools.wraps(work)
    async def run(self: S, /, *arguments: P.args, **options: P.kwargs) -> T:
        return await self._database.run(lambda connection: work(self, connection, *arguments, **options))

    return run


def _give_back(connection: sqlite3.Connection) -> None:
    """Return a piece of the file's free pages to the disk, if these are more than `_FREE_SHARE`."""
    total, free = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count"))
    if free <= total * _FREE_SHARE:
        return
    with contextlib.suppress(
        sqlite3.Error
    ):  # such as a full disk: the operation itself succeeded, and the next one tries again
        # `execute` would run only one step of a statement without columns, which returns one page.
        connection.executescript(f"PRAGMA incremental_vacuum({_PIECE_PAGES})")
