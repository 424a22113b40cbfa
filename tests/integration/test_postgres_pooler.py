"""A pooler that gives each transaction another connection stands before the database: nobody notices."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from common.core.contract.evidence import Span
from common.core.errors import StartupError
from common.core.ids import RandomIds
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.events import NumberedEvent, PassStarted, Started, TextDelta
from orchestrator.domain.answers.records import AnswerRecord, Hold, Question
from retriever.adapters.state.decisions_postgres import PostgresDecisionLog
from retriever.domain.evidence.piece import Decision
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_front import Pooler, serving
from tests.fakes.postgres_server import needs_postgres, postgres_database

pytestmark = needs_postgres
CLOCK = FakeClock()
QUESTION = Question("shop", "How?", session_id="ses_1")
RECORD = AnswerRecord("a", "ann", QUESTION, QUESTION.fingerprint(), CLOCK.now())


@contextmanager
def pooled() -> Iterator[tuple[Pooler, str]]:
    """Put a pooler before a database, and give its address."""
    with postgres_database() as database:
        pooler = Pooler(database.url)
        with serving(pooler.serve) as port:
            yield pooler, f"postgresql://{urlsplit(database.url).username}@127.0.0.1:{port}/postgres"
        pooler.close()


async def test_answers_are_made_and_followed_through_a_pooler() -> None:
    """Tables, holds, events and what is cleared: each statement by another connection than the one before."""
    with pooled() as (pooler, url):
        first, second = (PostgresAnswers.at(url, CLOCK, RandomIds()) for _ in range(2))
        names = [f"a{number}" for number in range(20)]
        for name in names:
            await first.create(replace(RECORD, answer_id=name))
        made = [NumberedEvent(1, CLOCK.now(), Started("a")), NumberedEvent(2, CLOCK.now(), PassStarted(1))]
        more = [NumberedEvent(3, CLOCK.now(), TextDelta(1, "x" * 10_000))]
        await asyncio.gather(*(first.append(name, made) for name in names))
        holds = await asyncio.gather(*(second.begin(name) for name in names))
        kept = await first.keep(names)
        await asyncio.gather(*(first.append(name, more) for name in names))
        await asyncio.gather(*(first.end(name) for name in names))
        taken = await asyncio.gather(*(second.begin(name) for name in names))
        followed = [await second.read(name, 0, 10) for name in names]
        await second.forget_session("ses_1")
        left = await first.find("a0")
        await first.close()
        await second.close()

    assert set(holds) == {Hold.ELSEWHERE}
    assert kept.wanted == frozenset(names)
    assert set(taken) == {Hold.CLEAN}
    assert followed == [(*made, *more)] * 20
    assert left is None
    assert len(set(pooler.transactions)) == 3


async def test_processes_that_start_at_once_make_the_tables_once_through_a_pooler() -> None:
    """What they lock goes with the transaction, and not with a connection that another process gets."""
    with pooled() as (_, url):
        stores = await asyncio.gather(
            *(asyncio.to_thread(PostgresAnswers.at, url, CLOCK, RandomIds()) for _ in range(4))
        )
        found = await asyncio.gather(*(each.find("a") for each in stores))
        for each in stores:
            await each.close()

    assert found == [None] * 4


async def test_decisions_are_kept_through_a_pooler() -> None:
    """As answers are."""
    decision = Decision("sources", "callers", Span("a.py", 1, 2), "a.b", True, "kept")
    with pooled() as (_, url):
        log = PostgresDecisionLog.at(url, CLOCK, days=7, retrievals=10)
        for _ in range(5):
            await log.append("shop", "one", [decision] * 3)
        found = await log.read("shop", "one", 0, 100)
        await log.close()

    assert [sequence for sequence, _ in found] == list(range(1, 16))


def test_what_a_pooler_does_not_pass_on_is_told_at_the_start() -> None:
    """Options of a session in the URL are for a server: the next transaction would not have them."""
    with pooled() as (_, url), pytest.raises(StartupError, match=r"answer_store_url.*options"):
        PostgresAnswers.at(f"{url}?options=-csearch_path%3Dother", CLOCK, RandomIds())
