"""The few connections to a database: bounded, bounded in time, made anew, and none left in the middle of anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from common.core.errors import DependencyUnavailable
from common.stores.postgres import Postgres, Tables
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
TABLES = Tables("things", ("CREATE TABLE cgrag_things (name text PRIMARY KEY, size integer)",))
CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()"


@asynccontextmanager
async def connected(connections: int = 2) -> AsyncIterator[tuple[PostgresDatabase, Postgres]]:
    """Open a database."""
    with postgres_database() as database:
        postgres = Postgres(database.url, "thing_url", TABLES, connections=connections)
        yield database, postgres
        await postgres.close()


async def test_no_more_connections_are_opened_than_were_allowed() -> None:
    """Others wait for their turn, and all is done."""
    async with connected(3) as (database, postgres):
        await asyncio.gather(
            *(postgres.rows("INSERT INTO cgrag_things VALUES (%s, %s)", (str(n), n)) for n in range(100))
        )
        open_now = database.rows(CONNECTED)
        [(count,)] = await postgres.rows("SELECT count(*) FROM cgrag_things")

    assert open_now == [(3,)]
    assert count == 100


async def test_a_statement_that_takes_too_long_is_given_up() -> None:
    """Nothing of it happens, its connection is closed, and those after it are served."""
    async with connected(1) as (database, postgres):
        with pytest.raises(DependencyUnavailable, match="thing_url"):
            await postgres.rows("INSERT INTO cgrag_things SELECT 'a', 1 FROM pg_sleep(30)", seconds=0.1)
        found = await postgres.rows("SELECT * FROM cgrag_things")
        running = database.rows("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active'")

    assert found == []
    assert len(running) == 1  # who asks for it


async def test_who_waits_for_a_connection_waits_no_longer_than_for_a_statement() -> None:
    """Where all are held up, a caller is told, and is not one more who waits for ever."""
    async with connected(1) as (_, postgres):
        slow = asyncio.create_task(postgres.rows("SELECT 1 FROM pg_sleep(0.5)"))
        await asyncio.sleep(0)
        with pytest.raises(DependencyUnavailable, match="thing_url"):
            await postgres.rows("SELECT 1", seconds=0.05)

        assert await slow == [(1,)]
        assert await postgres.rows("SELECT 1", seconds=5.0) == [(1,)]


async def test_a_mistake_costs_no_connection() -> None:
    """What the server refuses is told, and the connection goes on."""
    async with connected(1) as (database, postgres):
        await postgres.rows("INSERT INTO cgrag_things VALUES ('a', 1)")
        before = database.rows("SELECT pid FROM pg_stat_activity WHERE usename = current_user ORDER BY 1")[0]
        with pytest.raises(DependencyUnavailable):
            await postgres.rows("INSERT INTO cgrag_things VALUES ('a', 2)")
        [(pid,)] = await postgres.rows("SELECT pg_backend_pid()")

    assert (pid,) == before


async def test_statements_that_stand_in_each_others_way_are_tried_again() -> None:
    """Two that lock the same rows in another order: the server gives one up, and it is done after the other."""
    held = "WITH one AS (SELECT name FROM cgrag_things WHERE name = %s FOR UPDATE)"
    async with connected() as (_, postgres):
        await postgres.rows("INSERT INTO cgrag_things VALUES ('a', 0), ('b', 0)")
        late = ", late AS (SELECT pg_sleep(0.2) FROM one)"
        change = held + late + " UPDATE cgrag_things SET size = size + 1 FROM late WHERE name = %s"
        await asyncio.gather(*(postgres.rows(change, names) for names in (("a", "b"), ("b", "a"))))
        found = await postgres.rows("SELECT * FROM cgrag_things ORDER BY 1")

    assert found == [("a", 1), ("b", 1)]


async def test_connections_that_the_server_ended_are_not_used() -> None:
    """A server that was restarted between two statements costs neither of them."""
    async with connected() as (database, postgres):
        await postgres.rows("SELECT 1")
        database.go_away()
        database.come_back()

        assert await postgres.rows("SELECT 1") == [(1,)]
