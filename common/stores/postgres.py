"""Connects to a Postgres server that replicas share, creates the tables, and names the setting in errors."""

from __future__ import annotations

import asyncio
import select
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from common.core.errors import DependencyUnavailable, StartupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = tuple[Any, ...]

_SCHEMES = ("postgresql://", "postgres://")
# An unreachable server is detected after seconds, not after the minutes of TCP.
_PATIENCE: dict[str, Any] = {
    "connect_timeout": 2,
    "tcp_user_timeout": 5000,
    "keepalives_idle": 20,
    "application_name": "cgrag",
}
_STATEMENT_SECONDS = 5.0
# Time limit for running statements when a process ends: those of callers are short, those that clear tables are not.
_CLOSE_SECONDS = 5.0
_MIGRATIONS_LOCK = 0x63677261
_MIGRATION_WAIT_MS = 10_000
# Time limits after connecting: for reading the version of the tables, since a server may accept the connection and then
# not answer; and for changing the tables, which takes long if they are large.
_LOOK_SECONDS = 15.0
_CHANGE_SECONDS = 600.0
# Parts of error texts after which a login is not retried. Messages in other languages than English are not recognised.
_REFUSED = (
    "authentication failed",
    "pg_hba.conf",
    "permission denied",
    "does not exist",
    "not permitted to log in",
    "is not currently accepting connections",
    "no password supplied",
    "no such ",
    "unsupported startup parameter",
    "certificate",
    "does not support SSL",
    "SSL required",
)
# Classes of SQLSTATE for errors that waiting does not solve: authentication, unknown database, missing privileges.
_NOT_ALLOWED = ("28", "3D", "42")
_TRY_AGAIN = "40"
_MORE_TRIES = 3
# SQLSTATE of a read-only server: after a failover another one is the primary, which a new connection may reach.
_ONLY_READS = "25006"


@dataclass(frozen=True, slots=True)
class Tables:
    """
    The tables of a store and their migrations.

    Args:
        name: What the store keeps, for messages; also the key of the row that records the version of the tables.
        steps: Statements for each version, which migrate the tables from the version before. They only add, so that the
            previous release still works with the tables.
        works_from: The oldest version whose release works with the newest tables.
    """

    name: str
    steps: tuple[str, ...]
    works_from: int = 1


class Postgres:
    """
    A few connections to one database, opened when they are needed. Each statement is a transaction.

    No statement depends on the state of its connection, so that a pooler may stand in front of the server.

    Args:
        url: postgresql://user:password@host:port/database, with any parameter of libpq, such as sslmode.
        setting: Name of the setting with the URL, for messages.
        tables: Tables to create or migrate at the first connection.
        connections: Greatest number of connections.

    Raises:
        StartupError: if the URL is malformed.
    """

    def __init__(self, url: str, setting: str, tables: Tables, *, connections: int = 4) -> None:
        self._setting = setting
        self._tables = tables
        self._address = _address(url, setting)
        self._places = asyncio.Semaphore(connections)
        self._preparing = asyncio.Lock()
        self._is_prepared = False
        self._idle: list[psycopg.AsyncConnection[Row]] = []
        self._running: set[asyncio.Task[list[Row]]] = set()

    def prepare(self) -> str:
        """
        Create or migrate the tables; if the server does not answer yet, the first statement will. Blocks: for start-up.

        Returns:
            "", or the error if the server does not answer yet.

        Raises:
            StartupError: if the server refuses access, or has tables of a later release that this one cannot use.
        """
        try:
            # On its own thread and loop, since the caller may run on a loop.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, self._bring_up_to_date()).result()
        except (psycopg.Error, OSError, ValueError) as error:
            if _is_refused(error):
                text = f"the database of {self._setting} does not let us in or work: {str(error).strip()}"
                raise StartupError(text) from None
            return str(error).strip()
        return ""

    async def rows(
        self, statement: LiteralString, parameters: Sequence[object] = (), *, seconds: float = _STATEMENT_SECONDS
    ) -> list[Row]:
        """
        Run a statement and return its rows. It runs to its end even if the caller is cancelled.

        Args:
            statement: SQL with a %s for each parameter.
            parameters: Plain values, dates, and lists of them.
            seconds: Time limit for a free connection, and again for the statement.

        Raises:
            DependencyUnavailable: if the server does not answer, or reports an error.
        """
        task = asyncio.create_task(self._tried(statement, parameters, seconds))
        self._running.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except (psycopg.Error, OSError, TimeoutError, StartupError) as error:
            kept = self._tables.name
            text = f"the store of {kept} does not answer; check the setting {self._setting} and the database there"
            raise DependencyUnavailable(text, metadata={"dependency": kept}) from error
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            text = f"the store of {self._tables.name} is being closed"
            raise DependencyUnavailable(text, metadata={"dependency": self._tables.name}) from None

    async def close(self, *clearing: asyncio.Task[None]) -> None:
        """
        Close the connections after running statements have ended; those that take longer than 5 s are cancelled.

        Args:
            clearing: Tasks of the store that clear its tables; they are waited for and cancelled likewise.
        """
        if begun := {*self._running, *clearing}:
            await asyncio.wait(begun, timeout=_CLOSE_SECONDS)
        given_up = {*self._running, *clearing}
        for task in given_up:
            task.cancel()
        await asyncio.gather(*given_up, return_exceptions=True)
        while self._idle:
            await self._idle.pop().close()

    def _ended(self, task: asyncio.Task[list[Row]]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # the waiting caller was notified, or was cancelled

    async def _tried(self, statement: LiteralString, parameters: Sequence[object], seconds: float) -> list[Row]:
        async with asyncio.timeout(seconds):
            # If the server does not answer, callers that wait for a connection fail as soon as those that have one.
            await self._places.acquire()
        try:
            for _ in range(_MORE_TRIES):
                try:
                    return await self._once(statement, parameters, seconds)
                except psycopg.Error as error:
                    # A deadlock or a serialization failure: the statement was rolled back.
                    if (error.sqlstate or "")[:2] != _TRY_AGAIN:
                        raise
            return await self._once(statement, parameters, seconds)
        finally:
            self._places.release()

    async def _once(self, statement: LiteralString, parameters: Sequence[object], seconds: float) -> list[Row]:
        connection = await self._connection()
        try:
            async with asyncio.timeout(seconds):
                cursor = await connection.execute(statement, parameters)
                found = await cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            if error.sqlstate == _ONLY_READS:
                await connection.close()
            elif not connection.closed:
                self._idle.append(connection)
            raise
        except BaseException:
            await connection.close()
            raise
        self._idle.append(connection)
        return found

    async def _connection(self) -> psycopg.AsyncConnection[Row]:
        while self._idle:
            connection = self._idle.pop()
            if not _is_stale(connection):
                return connection
            await connection.close()
        if not self._is_prepared:
            async with self._preparing:
                if not self._is_prepared:
                    await self._bring_up_to_date()
        return await psycopg.AsyncConnection.connect(self._address, autocommit=True, prepare_threshold=None)

    async def _bring_up_to_date(self) -> None:
        try:
            async with asyncio.timeout(_LOOK_SECONDS) as limit:
                await self._change_tables(limit)
        except TimeoutError as error:
            raise TimeoutError("it accepted the connection, and then did not answer") from error
        self._is_prepared = True

    async def _change_tables(self, limit: asyncio.Timeout) -> None:
        async with await psycopg.AsyncConnection.connect(self._address, prepare_threshold=None) as connection:
            # Locked to the end of the transaction: replicas that start at once wait for each other, with a limit.
            await connection.execute("SELECT set_config('lock_timeout', %s, true)", (str(_MIGRATION_WAIT_MS),))
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATIONS_LOCK,))
            version = await self._version(connection)
            if version >= len(self._tables.steps):
                return
            limit.reschedule(asyncio.get_running_loop().time() + _CHANGE_SECONDS)
            for step in self._tables.steps[version:]:
                await connection.execute(step.encode())
            await connection.execute(
                "INSERT INTO cgrag_tables (name, version, works_from) VALUES (%s, %s, %s) ON CONFLICT (name)"
                " DO UPDATE SET version = excluded.version, works_from = excluded.works_from",
                (self._tables.name, len(self._tables.steps), self._tables.works_from),
            )

    async def _version(self, connection: psycopg.AsyncConnection[Row]) -> int:
        """Return the version of the tables, 0 for none; works for a role without the right to create tables."""
        there = await (await connection.execute("SELECT to_regclass('cgrag_tables') IS NOT NULL")).fetchone()
        if there != (True,):
            await connection.execute(
                "CREATE TABLE cgrag_tables"
                " (name text PRIMARY KEY, version integer NOT NULL, works_from integer NOT NULL)"
            )
        text = "SELECT version, works_from FROM cgrag_tables WHERE name = %s"
        known = await (await connection.execute(text, (self._tables.name,))).fetchone()
        version, works_from = known or (0, 0)
        if works_from > len(self._tables.steps):
            text = f"the tables of {self._tables.name} in the database of {self._setting} are those of a later release"
            raise StartupError(f"{text}, with which this one does not work; upgrade it")
        return int(version)


def _address(url: str, setting: str) -> str:
    """Return the URL as a connection string of libpq, with time limits where it has none. Raises StartupError."""
    try:
        if url.startswith(_SCHEMES):
            return make_conninfo(**(_PATIENCE | conninfo_to_dict(url)))
    except psycopg.Error:
        pass
    text = f"{setting} is no address of a database; write postgresql://user:password@host:5432/database"
    raise StartupError(text) from None


def _is_refused(error: Exception) -> bool:
    """Return whether the server refused permanently. A refused login has no error code, only a text."""
    if isinstance(error, psycopg.Error) and error.sqlstate:
        return error.sqlstate[:2] in _NOT_ALLOWED
    return any(each in str(error) for each in _REFUSED)


def _is_stale(connection: psycopg.AsyncConnection[Row]) -> bool:
    """Return whether the peer closed an idle connection: its socket is readable then, with end of file."""
    if connection.closed:
        return True
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN)
    return bool(look.poll(0))
