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
# What a process that ends waits for: statements that others wait for are short, those that clear tables are not.
_CLOSE_SECONDS = 5.0
_MIGRATIONS_LOCK = 0x63677261
_MIGRATION_WAIT_MS = 10_000
# A server may let one in and then say nothing. Where tables are to be changed, those that hold much take their time.
_LOOK_SECONDS = 15.0
_CHANGE_SECONDS = 600.0
# What ends a login for good, and waiting would not change. A server that speaks another language is waited for.
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
# Classes of SQLSTATE: who one is, which database, and what one may do there.
_NOT_ALLOWED = ("28", "3D", "42")
_TRY_AGAIN = "40"
_MORE_TRIES = 3
# SQLSTATE of a server that is read-only now: a failover made another one the primary. A new connection may reach that.
_ONLY_READS = "25006"


@dataclass(frozen=True, slots=True)
class Tables:
    """
    Tables of a store, as they came to be.

    Args:
        name: What is kept there; also of the row that says how far they are.
        steps: Statements that bring them from each version to the next, from none to the first on. Each only adds: the
            release before goes on with them.
        works_from: The oldest version whose program works with the newest tables.
    """

    name: str
    steps: tuple[str, ...]
    works_from: int = 1


class Postgres:
    """
    A few connections to one database, opened when they are needed. Each statement is a transaction.

    Nothing of it depends on which connection a statement gets, so that a pooler may stand in front of the server.

    Args:
        url: postgresql://user:password@host:port/database, with any parameter of libpq, such as sslmode.
        setting: Where the URL comes from, for messages.
        tables: Made, or brought up to date, at the first connection.
        connections: At most.

    Raises:
        StartupError: if the URL is none.
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
        Make the tables, if the server is there; else the first statement will. It blocks: for the start of a service.

        Returns:
            "", or what is said by a server that is not there yet.

        Raises:
            StartupError: if the server does not let us in, or has tables of a later release that this one cannot use.
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
        Run a statement and return what it returns. It runs to its end even if who waits for it is cancelled.

        Args:
            statement: With a %s for each parameter.
            parameters: Plain values, dates, and lists of them.
            seconds: Longest that it may wait for a connection, and then take.

        Raises:
            DependencyUnavailable: if the server does not answer, or says no.
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
        Close the connections, after what was begun; what takes longer than seconds is given up, there as here.

        Args:
            clearing: Tasks of the store that clear its tables; they end before.
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
            # Where the server is gone without a word, those who wait are told as soon as those who try.
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
            # Held to the end of the transaction: replicas that start at once wait for each other, with a limit.
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
    """Return the URL as libpq wants it, with limits of time where it names none."""
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
    """Return whether the peer closed the connection: an idle one has nothing to read but its end."""
    if connection.closed:
        return True
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN)
    return bool(look.poll(0))
