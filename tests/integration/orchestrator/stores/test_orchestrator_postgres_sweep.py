"""Clearing a large store: each answer pays for a few rows of it, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from common.core.ids import RandomIds
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.records import AnswerRecord, Question
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
CLOCK = FakeClock()
QUESTION = Question("shop", "How?", session_id="ses_1")
RECORD = AnswerRecord("a", "ann", QUESTION, QUESTION.fingerprint(), CLOCK.now())
FILL = (
    "INSERT INTO cgrag_answers (answer_id, owner, request_id, session_id, repository, created, body, bytes)"
    " SELECT 'old' || n, 'ann', '', 'ses_2', 'shop', %s, '{}', 1000 FROM generate_series(1, %s) n"
)


async def created(store: PostgresAnswers, names: Sequence[int]) -> None:
    """Make answers, and let a sweep that they began end."""
    for name in names:
        await store.create(replace(RECORD, answer_id=f"new{name}"))
    await swept(store)


async def swept(store: PostgresAnswers) -> None:
    """Let a sweep that was begun end."""
    await eventually(lambda: store._sweeping is None)


def fill(database: PostgresDatabase, count: int, created: str) -> None:
    """Put answers there."""
    database.rows(FILL % (created, count))


async def test_a_large_store_is_looked_through_each_time_it_has_grown_by_a_hundredth() -> None:
    """Not after every few answers, since all of it is read."""
    old = "SELECT count(*) FROM cgrag_answers WHERE session_id = 'ses_3'"
    with postgres_database() as database:
        store = PostgresAnswers.at(database.url, CLOCK, RandomIds())
        fill(database, 10_000, f"'{CLOCK.now()}'")
        await created(store, range(1))
        database.rows(
            "INSERT INTO cgrag_answers (answer_id, owner, request_id, session_id, repository, created, body)"
            " VALUES ('x', 'ann', '', 'ses_3', 'shop', '2020-01-01', '{}')"
        )
        await created(store, range(1, 90))
        early = database.rows(old)
        await created(store, range(90, 110))
        late = database.rows(old)
        await store.close()

    assert (early, late) == ([(1,)], [(0,)])


async def test_a_store_that_became_too_large_loses_its_oldest_tenth() -> None:
    """Once, though two processes see it at the same time."""
    with postgres_database() as database:
        stores = [PostgresAnswers.at(database.url, CLOCK, RandomIds(), max_bytes=950_000) for _ in range(2)]
        fill(database, 1000, f"'{CLOCK.now()}'::timestamptz + n * interval '1 second'")
        for number, store in enumerate(stores):
            await store.create(replace(RECORD, answer_id=f"new{number}"))
        for store in stores:
            await swept(store)
            await store.close()
        left = database.rows("SELECT count(*) FROM cgrag_answers WHERE session_id = 'ses_2'")

    assert left in ([(901,)], [(900,)])
