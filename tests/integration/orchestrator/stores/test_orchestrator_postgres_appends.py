"""How events of many answers come into Postgres: together, within bounds, and before the store is closed."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from common.core.ids import RandomIds
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.events import NumberedEvent, TextDelta
from orchestrator.domain.answers.records import AnswerRecord, Question
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
CLOCK = FakeClock()
NAMES = ("a", "b", "c", "d")


async def store_with_answers(url: str) -> PostgresAnswers:
    """Open a store that holds some answers."""
    store = PostgresAnswers.at(url, CLOCK, RandomIds())
    for name in NAMES:
        question = Question("shop", "How?", session_id="ses_1")
        await store.create(AnswerRecord(name, "ann", question, question.fingerprint(), CLOCK.now()))
    return store


def statements(database: PostgresDatabase) -> list[int]:
    """Return how many events each statement has kept: each is a transaction."""
    return sorted(Counter(database.rows("SELECT xmin::text FROM cgrag_answer_events")).values())


@pytest.mark.parametrize(("chars", "kept"), [(10, [4]), (600_000, [2, 2])], ids=["small", "large"])
async def test_what_comes_at_once_is_written_together(chars: int, kept: list[int]) -> None:
    """By one statement, if it is not more than one may take."""
    event = [NumberedEvent(1, CLOCK.now(), TextDelta(1, "x" * chars))]
    with postgres_database() as database:
        store = await store_with_answers(database.url)
        await asyncio.gather(*(store.append(name, event) for name in NAMES))
        await store.close()

        assert statements(database) == kept


async def test_what_was_given_is_written_before_the_store_is_closed() -> None:
    """Also what no statement has taken yet."""
    with postgres_database() as database:
        store = await store_with_answers(database.url)
        given = asyncio.create_task(store.append("a", [NumberedEvent(1, CLOCK.now(), TextDelta(1, "x"))]))
        await asyncio.sleep(0)
        await store.close()

        assert statements(database) == [1]
        await given
