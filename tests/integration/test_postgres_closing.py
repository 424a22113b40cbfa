"""A process that stops does not wait for what clears its tables, and leaves nothing running at the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import psycopg
import pytest

from common.core.errors import DependencyUnavailable
from common.core.ids import RandomIds
from common.stores import postgres as module
from common.stores.postgres import Postgres, Tables
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.records import AnswerRecord, Question
from retriever.adapters.state.decisions_postgres import PostgresDecisionLog
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
QUESTION = Question("shop", "How?", session_id="ses_1")
ACTIVE = (
    "SELECT query FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid() AND state = 'active'"
)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CLOSE_SECONDS", 0.1, raising=False)


async def closed_while_locked(
    database: PostgresDatabase, table: str, begin: Awaitable[object], close: Awaitable[None]
) -> None:
    """Let a table's rows be held by another, so that deleting them waits for as long as it may, and close."""
    with psycopg.connect(database.url) as other:
        other.execute(f"SELECT 1 FROM {table} FOR UPDATE".encode())
        await begin
        await eventually(lambda: bool(database.rows(f"{ACTIVE} AND query LIKE '%DELETE%'")))
        async with asyncio.timeout(20):
            await close
        still = database.rows(ACTIVE)
    kept = database.rows(f"SELECT count(*) FROM {table}")

    assert still == []
    assert kept == [(1,)]  # the old row: what deletes it did not happen


async def test_a_sweep_of_answers_is_not_waited_for() -> None:
    """It is given up, and comes again at the next start."""
    clock = FakeClock()
    with postgres_database() as database:
        store = PostgresAnswers.at(database.url, clock, RandomIds())
        await store.create(AnswerRecord("old", "ann", QUESTION, QUESTION.fingerprint(), clock.now()))
        await eventually(lambda: store._sweeping is None)
        clock.advance(90 * 86400)
        await closed_while_locked(database, "cgrag_answers", _swept(store), store.close())


async def _swept(store: PostgresAnswers) -> None:
    store._sweeping = asyncio.create_task(store._sweep())
    store._sweeping.add_done_callback(store._swept)


async def test_a_sweep_of_decisions_is_not_waited_for() -> None:
    """As that of answers."""
    clock = FakeClock()
    with postgres_database() as database:
        log = PostgresDecisionLog.at(database.url, clock, days=7, retrievals=100)
        await log.append("shop", "old", [])
        await eventually(lambda: log._pruning is None)
        clock.advance(90 * 86400)
        log._additions = 0
        await closed_while_locked(database, "cgrag_retrievals", _pruned(log), log.close())


async def _pruned(log: PostgresDecisionLog) -> None:
    log._pruning = asyncio.create_task(log._prune())
    log._pruning.add_done_callback(log._pruned)


async def test_what_was_begun_and_is_short_is_waited_for() -> None:
    """It is kept, whoever asked for it has gone or not."""
    with postgres_database() as database:
        postgres = Postgres(database.url, "thing_url", Tables("things", ("CREATE TABLE cgrag_things (size integer)",)))
        await postgres.rows("SELECT 1")
        module._CLOSE_SECONDS = 5.0
        waiting = asyncio.create_task(postgres.rows("INSERT INTO cgrag_things SELECT 1 FROM pg_sleep(0.1)"))
        await eventually(lambda: bool(postgres._running))
        waiting.cancel()
        await postgres.close()

        assert database.rows("SELECT * FROM cgrag_things") == [(1,)]


async def test_who_waits_for_what_is_given_up_is_told() -> None:
    """A caller at that moment gets the error of a store that is away."""
    with postgres_database() as database:
        postgres = Postgres(database.url, "thing_url", Tables("things", ("CREATE TABLE cgrag_things (size integer)",)))
        waiting = asyncio.create_task(postgres.rows("SELECT 1 FROM pg_sleep(30)", seconds=60))
        await eventually(lambda: bool(database.rows(f"{ACTIVE} AND query LIKE '%pg_sleep%'")))
        await postgres.close()
        with pytest.raises(DependencyUnavailable):
            await waiting
