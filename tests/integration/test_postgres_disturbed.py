"""What one connection, or one process that starts, suffers does not stay with those after it."""

from __future__ import annotations

import asyncio
import threading

import psycopg
import pytest

from common.core.errors import DependencyUnavailable
from common.stores import postgres as module
from common.stores.postgres import Postgres, Tables
from tests.fakes.postgres_server import needs_postgres, postgres_database

pytestmark = needs_postgres
TABLES = Tables("things", ("CREATE TABLE cgrag_things (name text PRIMARY KEY, size integer)",))


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
