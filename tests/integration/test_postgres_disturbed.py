"""What one connection, or one process that starts, suffers does not stay with those after it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from urllib.parse import urlsplit

import psycopg
import pytest

from common.core.errors import DependencyUnavailable
from common.stores import postgres as module
from common.stores.postgres import Postgres, Tables
from tests.fakes.postgres_front import Pooler, admit, serving
from tests.fakes.postgres_server import needs_postgres, postgres_database

pytestmark = needs_postgres
TABLES = Tables("things", ("CREATE TABLE cgrag_things (name text PRIMARY KEY, size integer)",))


class Mute(Pooler):
    """Lets everybody in, and says nothing more until it may."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.speaks = threading.Event()

    def serve(self, client: socket.socket, parameters: dict[str, str]) -> None:
        """Serve a client, or leave it waiting to its end."""
        if self.speaks.is_set():
            super().serve(client, parameters)
            return
        admit(client)
        while client.recv(65536):
            pass


async def test_a_connection_to_a_server_that_only_reads_by_now_is_not_used_again() -> None:
    """After a failover an open connection may lead to who was first before: what it refuses, a new one does."""
    with postgres_database() as database:
        database.rows("ALTER ROLE CURRENT_USER SET default_transaction_read_only = off")
        postgres = Postgres(database.url, "thing_url", TABLES, connections=1)
        await postgres.rows("SET default_transaction_read_only = on")
        with pytest.raises(DependencyUnavailable):
            await postgres.rows("INSERT INTO cgrag_things VALUES ('a', 1)")
        await postgres.rows("INSERT INTO cgrag_things VALUES ('a', 1)")
        found = await postgres.rows("SELECT * FROM cgrag_things")
        await postgres.close()

    assert found == [("a", 1)]


async def test_who_makes_tables_for_ever_holds_nobody_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock under which tables are made is held by one that hangs: others are told, and go on when it is gone."""
    monkeypatch.setattr(module, "_MIGRATION_WAIT_MS", 200, raising=False)
    with postgres_database() as database:
        postgres = Postgres(database.url, "thing_url", TABLES, connections=1)
        with psycopg.connect(database.url) as other:
            other.execute("SELECT pg_advisory_xact_lock(%s)", (module._MIGRATIONS_LOCK,))
            freed = threading.Timer(30, other.rollback)
            freed.start()
            try:
                async with asyncio.timeout(20):
                    with pytest.raises(DependencyUnavailable):
                        await postgres.rows("SELECT 1")
            finally:
                freed.cancel()
                other.rollback()
        found = await postgres.rows("SELECT 1")
        await postgres.close()

    assert found == [(1,)]


async def test_a_server_that_lets_one_in_and_says_nothing_holds_nobody_up_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A start goes on without it and says why, a caller is told, and when it speaks again it is used."""
    monkeypatch.setattr(module, "_LOOK_SECONDS", 0.3, raising=False)
    with postgres_database() as database, contextlib.closing(Mute(database.url)) as front, serving(front.serve) as port:
        address = urlsplit(database.url)
        postgres = Postgres(f"postgresql://{address.username}@127.0.0.1:{port}{address.path}", "thing_url", TABLES)
        async with asyncio.timeout(60):
            problem = await asyncio.to_thread(postgres.prepare)
            with pytest.raises(DependencyUnavailable, match="thing_url"):
                await postgres.rows("SELECT 1", seconds=0.3)
        front.speaks.set()
        found = await postgres.rows("SELECT 1")
        await postgres.close()

    assert "did not answer" in problem
    assert found == [(1,)]
