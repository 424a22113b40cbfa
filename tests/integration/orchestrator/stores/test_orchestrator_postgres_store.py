"""Answers in a database that several processes use: who makes an answer, and what happens when the server is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from common.core.errors import DependencyUnavailable, StartupError
from common.core.ids import RandomIds
from common.stores.postgres import Postgres, Tables
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.errors import HoldLost
from orchestrator.domain.answers.events import Event, NumberedEvent, PassStarted, Started, TextDelta, Unknown
from orchestrator.domain.answers.records import AnswerRecord, Held, Hold, Question, Rating
from tests.fakes.answering import eventually
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
CLOCK = FakeClock()
QUESTION = Question("shop", "How?", session_id="ses_1")
RECORD = AnswerRecord("a", "ann", QUESTION, QUESTION.fingerprint(), CLOCK.now())


@asynccontextmanager
async def stores(count: int = 2, **limits: float) -> AsyncIterator[tuple[PostgresDatabase, list[PostgresAnswers]]]:
    """Open a database from several processes."""
    async with AsyncExitStack() as stack:
        database = stack.enter_context(postgres_database())
        made = [PostgresAnswers.at(database.url, CLOCK, RandomIds(), **limits) for _ in range(count)]
        for each in made:
            stack.push_async_callback(each.close)
        yield database, made


def numbered(*events: Event, first: int = 1) -> list[NumberedEvent]:
    """Return events as they come."""
    return [NumberedEvent(number, CLOCK.now(), event) for number, event in enumerate(events, first)]


def run_out(database: PostgresDatabase) -> None:
    """Let all holds run out, as time does."""
    database.rows("UPDATE cgrag_answer_holds SET until = now() - interval '1 second'")


async def test_one_process_makes_an_answer_at_a_time() -> None:
    """Who asks meanwhile is told, and may when it was let go, or when its holder is silent for too long."""
    async with stores() as (database, (first, second)):
        await first.create(RECORD)
        while_made = await second.begin("a")
        await first.end("a")
        after_end = await second.begin("a")
        while_made_there = await first.begin("a")
        run_out(database)
        after_silence = await first.begin("a")

    assert (while_made, after_end) == (Hold.ELSEWHERE, Hold.CLEAN)
    assert (while_made_there, after_silence) == (Hold.ELSEWHERE, Hold.BROKEN)


async def test_of_many_who_want_to_make_it_one_does() -> None:
    """The others are told that it is made elsewhere."""
    async with stores(5) as (_, made):
        await made[0].create(RECORD)
        rounds = []
        holder = made[0]
        for _ in range(10):
            await holder.end("a")
            holds = await asyncio.gather(*(each.begin("a") for each in made))
            rounds.append(sorted(each.name for each in holds))
            holder = made[holds.index(Hold.CLEAN)]

    assert rounds == [["CLEAN"] + ["ELSEWHERE"] * 4] * 10


async def test_a_request_that_reaches_two_processes_is_one_answer() -> None:
    """The first to keep it holds it; the other follows."""
    async with stores() as (_, (first, second)):
        question = replace(QUESTION, request_id="req_1")
        records = [replace(RECORD, answer_id=name, question=question) for name in ("a", "b")]
        kept = await asyncio.gather(first.create(records[0]), second.create(records[1]))
        holders = [await store.begin(kept[0].answer_id) for store in (first, second)]

    assert kept[0].answer_id == kept[1].answer_id
    assert sorted(each.name for each in holders) == ["BROKEN", "ELSEWHERE"]


async def test_who_was_silent_for_too_long_keeps_nothing_any_more() -> None:
    """Neither while the other makes it, nor after that, nor with what another answer keeps at the same time."""
    async with stores() as (database, (first, second)):
        for name in ("a", "b"):
            await first.create(replace(RECORD, answer_id=name))
        await first.append("a", numbered(Started("a")))
        run_out(database)
        await second.begin("a")
        late = await asyncio.gather(
            first.append("a", numbered(PassStarted(1), first=2)),
            first.append("b", numbered(Started("b"))),
            return_exceptions=True,
        )
        await second.append("a", numbered(PassStarted(1), TextDelta(1, "second"), first=65))
        await first.end("a")
        held_on = await first.begin("a")
        await second.end("a")
        after_end = await asyncio.gather(first.append("a", numbered(Started("a"), first=3)), return_exceptions=True)
        kept = await second.read("a", 0, 10)
        other = await second.read("b", 0, 10)

    assert [type(each) for each in late] == [HoldLost, type(None)]
    assert held_on is Hold.ELSEWHERE
    assert [type(each) for each in after_end] == [HoldLost]
    assert [each.sequence for each in kept] == [1, 65, 66]
    assert len(other) == 1


async def test_an_old_hold_of_the_same_process_keeps_nothing_either() -> None:
    """A token counts, not only the name of who holds."""
    async with stores(1) as (_, (store,)):
        await store.create(RECORD)
        stale = store._tokens["a"]
        await store.begin("a")
        fresh = store._tokens["a"]
        with pytest.raises(HoldLost):
            await store._appends.add("a", stale, numbered(Started("a")))
        await store._appends.add("a", fresh, numbered(Started("a")))

        assert len(await store.read("a", 0, 10)) == 1


async def test_a_holder_learns_what_became_of_its_answers() -> None:
    """Cancelled, forgotten or lost elsewhere, wanted elsewhere; nothing of those that it let go itself."""
    async with stores() as (database, (first, second)):
        names = ["ended", "kept", "wanted", "cancelled", "forgotten", "lost"]
        for name in names:
            question = replace(QUESTION, session_id=f"ses_{name}")
            await first.create(replace(RECORD, answer_id=name, question=question))
        await first.end("ended")
        await second.begin("wanted")
        was_made = await second.cancel("cancelled")
        was_ended = await second.cancel("ended")
        await second.forget_session("ses_forgotten")
        database.rows("UPDATE cgrag_answer_holds SET until = now() - interval '1 second' WHERE answer_id = 'lost'")
        await second.begin("lost")
        became = await first.keep(names)
        of_none = await first.keep([])

    assert became == Held(frozenset({"cancelled", "forgotten"}), frozenset({"lost"}), frozenset({"wanted"}))
    assert of_none == Held()
    assert (was_made, was_ended) == (True, False)


async def test_who_goes_on_saying_so_keeps_its_answers() -> None:
    """A hold is prolonged before it runs out, and not when it was prolonged just now."""
    left = "SELECT until - now() > interval '%s seconds' FROM cgrag_answer_holds"
    async with stores(hold_seconds=20.0) as (database, (first, second)):
        await first.create(RECORD)
        database.rows("UPDATE cgrag_answer_holds SET until = now() + interval '15 seconds'")
        await first.keep(["a"])
        early = database.rows(left % 16)
        database.rows("UPDATE cgrag_answer_holds SET until = now() + interval '5 seconds'")
        await first.keep(["a"])
        due = database.rows(left % 16)
        hold = await second.begin("a")

    assert (early, due) == ([(False,)], [(True,)])
    assert hold is Hold.ELSEWHERE


async def test_events_of_many_answers_go_together() -> None:
    """What comes while others are being written is written with one statement; each is told when it is kept."""
    async with stores(1) as (_, (store,)):
        names = [f"a{number:03}" for number in range(300)]
        for name in names:
            await store.create(replace(RECORD, answer_id=name))
        long = TextDelta(1, "x" * 10_000)
        await asyncio.gather(*(store.append(name, numbered(Started(name), PassStarted(1), long)) for name in names))

        kept = [len(await store.read(name, 0, 10)) for name in names]

    assert kept == [3] * 300


async def test_a_server_that_is_away_is_told_and_used_again_when_it_is_back() -> None:
    """The setting is named, not the address; what is kept then is whole."""
    async with stores(1) as (database, (store,)):
        await store.create(RECORD)
        database.go_away()
        for call in (store.find("a"), store.append("a", numbered(Started("a"))), store.keep(["a"]), store.begin("a")):
            with pytest.raises(DependencyUnavailable, match="answer_store_url") as raised:
                await call
            assert "host" not in raised.value.message
        database.come_back()
        await store.append("a", numbered(Started("a"), PassStarted(1)))

        assert len(await store.read("a", 0, 10)) == 2


async def test_who_stops_waiting_does_not_disturb_the_statement() -> None:
    """A caller that leaves costs no connection, and the next one gets its own answer."""
    async with stores(1) as (_, (store,)):
        await store.create(RECORD)
        for _ in range(20):
            waiting = asyncio.create_task(store.find("a"))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait({waiting})
        found = await store.find("a")
        await eventually(lambda: not store._database._running)

        assert found == RECORD
        assert 1 <= len(store._database._idle) <= 4


@pytest.mark.parametrize("url", ["secret@nowhere", "mysql://u:secret@host/db", "postgresql://u:se cret@h/db"])
async def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    """It may hold a password."""
    with pytest.raises(StartupError, match="answer_store_url") as refused:
        PostgresAnswers.at(url, CLOCK, RandomIds())

    assert "cret" not in str(refused.value)


async def test_a_login_that_is_refused_is_told_at_the_start() -> None:
    """Waiting would not help; a server that is not there is waited for."""
    with postgres_database() as database:
        with pytest.raises(StartupError, match=r"answer_store_url.*nobody"):
            PostgresAnswers.at(database.url.replace("test_", "nobody_"), CLOCK, RandomIds())
        with pytest.raises(StartupError, match=r"answer_store_url.*nothing"):
            PostgresAnswers.at(database.url.replace("/postgres?", "/nothing?"), CLOCK, RandomIds())
    away = PostgresAnswers.at("postgresql://ann:secret@127.0.0.1:1/db", CLOCK, RandomIds())
    with pytest.raises(DependencyUnavailable, match="answer_store_url"):
        await away.find("a")
    await away.close()


async def test_a_role_without_rights_is_told_at_the_start() -> None:
    """It may come in and make no tables: the message says so."""
    with postgres_database() as database:
        database.rows("ALTER ROLE CURRENT_USER SET search_path = pg_catalog")
        with pytest.raises(StartupError, match=r"answer_store_url.*permission denied"):
            PostgresAnswers.at(database.url, CLOCK, RandomIds())


async def test_tables_of_the_next_release_are_used_by_this_one() -> None:
    """What is only added disturbs nobody; what is said not to work with this release is not touched."""
    first = Tables("things", ("CREATE TABLE cgrag_things (name text)",))
    second = Tables("things", (*first.steps, "ALTER TABLE cgrag_things ADD COLUMN size integer DEFAULT 7"))
    third = Tables("things", (*second.steps, "ALTER TABLE cgrag_things RENAME TO cgrag_others"), works_from=3)
    add = "INSERT INTO cgrag_things (name) VALUES (%s)"
    with postgres_database() as database:
        old, new = (Postgres(database.url, "thing_url", each) for each in (first, second))
        old.prepare()
        await old.rows(add, ("a",))
        new.prepare()
        await old.rows(add, ("b",))
        again = Postgres(database.url, "thing_url", first)
        again.prepare()
        await again.rows(add, ("c",))
        found = await new.rows("SELECT name, size FROM cgrag_things ORDER BY 1")
        Postgres(database.url, "thing_url", third).prepare()
        with pytest.raises(StartupError, match="later release"):
            again.prepare()
        for each in (old, new, again):
            await each.close()

    assert found == [("a", 7), ("b", 7), ("c", 7)]


async def test_events_of_the_next_release_are_passed_over_by_this_one() -> None:
    """Kinds and fields that it does not know; all of them keep their numbers."""
    async with stores(1) as (database, (store,)):
        await store.create(RECORD)
        await store.append("a", numbered(Started("a")))
        for number, body in enumerate(('["Foreseen",{"what":"rain"}]', '["PassStarted",{"pass_number":1,"x":2}]'), 2):
            database.rows(f"INSERT INTO cgrag_answer_events VALUES ('a', {number}, now(), '{body}')")
        found = await store.read("a", 0, 10)

    assert [(each.sequence, each.event) for each in found] == [
        (1, Started("a")),
        (2, Unknown()),
        (3, PassStarted(1)),
    ]


async def test_processes_that_start_at_once_make_the_tables_once() -> None:
    """They wait for each other."""
    with postgres_database() as database:
        made = [PostgresAnswers.at("postgresql://127.0.0.1:1/db", CLOCK, RandomIds()) for _ in range(4)]
        for each in made:
            # As if the server had come after their start.
            each._database._address = f"{database.url}&application_name=late"
        found = await asyncio.gather(*(each.find("a") for each in made))
        for each in made:
            await each.close()

        assert found == [None] * 4
        assert database.rows("SELECT name, version FROM cgrag_tables") == [("answers", 1)]


@pytest.mark.parametrize("is_repository", [False, True], ids=["session", "repository"])
async def test_what_is_put_beside_an_answer_while_that_is_forgotten_goes_with_it(is_repository: bool) -> None:
    """The deletion waits for it, began before it was there, and takes it along all the same."""
    columns = "owner, '', session_id, repository, created, is_cancelled, bytes, body"
    later = CLOCK.now() + timedelta(seconds=1)
    async with stores(1) as (database, (store,)):
        await store.create(RECORD)
        with psycopg.connect(database.url) as elsewhere:
            elsewhere.execute("SELECT FROM cgrag_answers WHERE answer_id = 'a' FOR KEY SHARE")
            elsewhere.execute(f"INSERT INTO cgrag_answers SELECT 'b', {columns} FROM cgrag_answers")
            forget = store.forget_repository("shop", later) if is_repository else store.forget_session("ses_1")
            forgetting = asyncio.create_task(forget)
            await eventually(lambda: database.rows("SELECT count(*) FROM pg_locks WHERE NOT granted") != [(0,)])
        await forgetting

        assert database.rows("SELECT answer_id FROM cgrag_answers") == []


async def test_a_deletion_that_is_under_way_is_waited_for_by_what_is_put_beside() -> None:
    """There is nothing left to put it beside."""
    async with stores(1) as (database, (store,)):
        await store.create(RECORD)
        with psycopg.connect(database.url) as elsewhere:
            elsewhere.execute("DELETE FROM cgrag_answers")
            putting = asyncio.create_task(store.create_beside(replace(RECORD, answer_id="b"), "a"))
            await eventually(lambda: database.rows("SELECT count(*) FROM pg_locks WHERE NOT granted") != [(0,)])
        is_kept = await putting

        assert not is_kept
        assert database.rows("SELECT answer_id FROM cgrag_answers") == []


async def test_a_rating_replaces_the_one_before() -> None:
    """From whichever process; one of an answer that is forgotten is not kept."""
    async with stores() as (database, (first, second)):
        await first.create(RECORD)
        await first.rate(Rating("a", 2, "bad"))
        await second.rate(Rating("a", 4, "it's better"))
        await second.rate(Rating("b", 1))

        assert database.rows("SELECT * FROM cgrag_answer_ratings") == [("a", 4, "it's better")]
