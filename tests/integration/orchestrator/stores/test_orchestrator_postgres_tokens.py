"""What an answer's maker may write is decided by its token, and tokens do not pile up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from common.core.errors import DependencyUnavailable
from common.core.ids import RandomIds
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.errors import HoldLost
from orchestrator.domain.answers.events import Event, NumberedEvent, PassStarted, Started
from orchestrator.domain.answers.records import AnswerRecord, Question
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
QUESTION = Question("shop", "How?", session_id="ses_1")


@asynccontextmanager
async def opened(clock: FakeClock) -> AsyncIterator[tuple[PostgresDatabase, PostgresAnswers]]:
    """Open a store with an answer that is held here."""
    with postgres_database() as database:
        store = PostgresAnswers.at(database.url, clock, RandomIds())
        await store.create(record("a", clock))
        yield database, store
        await store.close()


def record(name: str, clock: FakeClock) -> AnswerRecord:
    """Return who asked what."""
    return AnswerRecord(name, "ann", QUESTION, QUESTION.fingerprint(), clock.now())


def numbered(event: Event, number: int) -> list[NumberedEvent]:
    """Return an event as it comes."""
    return [NumberedEvent(number, FakeClock().now(), event)]


@pytest.mark.parametrize("is_stale_first", [True, False])
async def test_what_was_written_under_an_earlier_hold_does_not_go_under_a_later_one(*, is_stale_first: bool) -> None:
    """Both wait for the same statement: it keeps what comes from the holder alone, and tells the other."""
    async with opened(FakeClock()) as (_, store):
        stale = store._tokens["a"]
        await store.create(record("b", FakeClock()))
        await store.begin("a")
        batches = [("a", stale, numbered(PassStarted(1), 2)), ("a", store._tokens["a"], numbered(Started("a"), 65))]
        ordered = batches if is_stale_first else batches[::-1]
        told = await asyncio.gather(
            *(store._appends.add(*each) for each in (*ordered, ("b", store._tokens["b"], numbered(Started("b"), 1)))),
            return_exceptions=True,
        )
        kept = await store.read("a", 0, 10)
        other = await store.read("b", 0, 10)

    lost = [HoldLost, type(None)] if is_stale_first else [type(None), HoldLost]
    assert [type(each) for each in told] == [*lost, type(None)]
    assert [each.sequence for each in kept] == [65]
    assert len(other) == 1


async def test_two_batches_under_one_hold_are_both_kept() -> None:
    """A statement that takes several of one answer keeps all of them."""
    async with opened(FakeClock()) as (_, store):
        await asyncio.gather(
            store.append("a", numbered(Started("a"), 1)), store.append("a", numbered(PassStarted(1), 2))
        )

        assert [each.sequence for each in await store.read("a", 0, 10)] == [1, 2]


async def test_holds_that_were_never_given_back_are_forgotten() -> None:
    """The database was away when its maker ended: what is made here no more for long takes no room for ever."""
    clock = FakeClock()
    async with opened(clock) as (database, store):
        await store.create(record("made", clock))
        database.go_away()
        with pytest.raises(DependencyUnavailable):
            await store.append("a", numbered(Started("a"), 1))
        database.come_back()
        for _ in range(3):
            await store.keep(["made"])
            clock.advance(4)
        short = set(store._tokens)
        for _ in range(2):
            clock.advance(4)
            await store.keep(["made"])

    assert short == {"a", "made"}
    assert set(store._tokens) == {"made"}
