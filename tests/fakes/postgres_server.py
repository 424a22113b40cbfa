"""A real Postgres server on a socket, out of a wheel: one for all tests of a run, a schema for each."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

needs_postgres = pytest.mark.skipif(
    find_spec("pgserver") is None, reason="the wheel of Postgres is not for this machine"
)
_NUMBERS = count(1)


@cache
def _server(*, is_durable: bool) -> Any:
    with warnings.catch_warnings():
        # It looks for a folder of the login session, which a bare machine has not, and takes another.
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server

        folder = Path(tempfile.mkdtemp(prefix="pg"))
        # The server is stopped at the end, which it is told later than this, and therefore before.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        server = get_server(folder / "d", cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in () if is_durable else ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    return server


class PostgresDatabase:
    """
    A schema for one test, and a role that may use nothing else.

    Args:
        name: Of both.
        server: Where they are.
    """

    def __init__(self, name: str, server: Any) -> None:
        self._name = name
        self._server = server
        self._admin = server.get_uri()
        self.url = self._admin.replace("postgres:@", f"{name}@")

    def go_away(self) -> None:
        """Let nobody in any more, and end all connections, as a server does that is shut down."""
        with psycopg.connect(self._admin, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {self._name} NOLOGIN".encode())
            connected = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s"
            connection.execute(connected, (self._name,))

    def come_back(self) -> None:
        """Let everybody in again."""
        with psycopg.connect(self._admin, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {self._name} LOGIN".encode())

    def stop(self, mode: str) -> None:
        """Stop the server for all: `fast`, which ends what runs, or `immediate`, as if it had crashed."""
        self._control("-m", mode, "stop")

    def start(self) -> None:
        """Start the server again, if it was stopped."""
        folder = self._server.pgdata
        if not (folder / "postmaster.pid").exists():
            self._control("-o", f"-h '' -k {folder}", "-l", str(folder / "log"), "start")
        # It is to know the process that it stops at the end.
        self._server.ensure_postgres_running()

    def _control(self, *arguments: str) -> None:
        # By a process of its own, since one that talks gRPC must not fork, as it would for another user.
        call = f"pg_ctl({['-w', *arguments]}, pgdata={str(self._server.pgdata)!r}, user={self._server.system_user!r})"
        subprocess.run([sys.executable, "-W", "ignore", "-c", f"from pgserver import pg_ctl; {call}"], check=True)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement, and return what it returns."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def postgres_database(*, is_durable: bool = False) -> Iterator[PostgresDatabase]:
    """Make a place for tables, and drop it at the end; nobody needs those of tests after a power cut."""
    server, name = _server(is_durable=is_durable), f"test_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN; CREATE SCHEMA AUTHORIZATION {name}".encode())
    try:
        yield PostgresDatabase(name, server)
    finally:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {name} CASCADE; DROP ROLE {name}".encode())
