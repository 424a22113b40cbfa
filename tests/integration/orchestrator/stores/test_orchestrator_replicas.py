"""Two orchestrators on one database: either goes on with what the other began, and one at a time makes an answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2

from tests.fakes.answering import eventually, refusal
from tests.fakes.orchestrating import QUESTION, Orchestrating, kinds, orchestrating, text_of
from tests.fakes.peers import REPOSITORY, FakeClassifier, FakeRetriever
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
_HOLD_SECONDS = 1.0
# Numbers that are left out because events may have been shown under them.
_LEFT_OUT = 64


@asynccontextmanager
async def replicas(**settings: Any) -> AsyncIterator[tuple[PostgresDatabase, Orchestrating, Orchestrating]]:
    """Run two orchestrators on one database, with the same peers behind them."""
    peers = (FakeRetriever(), FakeClassifier())
    with postgres_database() as database:
        shared: dict[str, Any] = {"answer_store_url": database.url, "answer_hold_seconds": _HOLD_SECONDS} | settings
        async with orchestrating(*peers, **shared) as first, orchestrating(*peers, **shared) as second:
            yield database, first, second


def asking(suite: Orchestrating, **fields: Any) -> Any:
    """Begin a call that asks."""
    return suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION, **fields), timeout=60)


def following(suite: Orchestrating, answer_id: str, after: int = 0) -> Any:
    """Begin a call that watches."""
    return suite.stub.WatchAnswer(pb.WatchAnswerRequest(answer_id=answer_id, after_sequence=after), timeout=60)


async def rest_of(call: Any, seen: list[pb.AnswerEvent] | None = None) -> list[pb.AnswerEvent]:
    """Return what a call still gives, behind what was seen before; that list grows though the call fails."""
    events = [] if seen is None else seen
    async with asyncio.timeout(20):
        while (event := await call.read()) is not grpc.aio.EOF:
            events.append(event)
    return events


async def held_up(suite: Orchestrating, call: Any) -> list[pb.AnswerEvent]:
    """Return the events of a call until the first fetch for gaps, which waits."""
    seen: list[pb.AnswerEvent] = []
    while not seen or not seen[-1].HasField("pass_finished"):
        seen.append(await call.read())
    await eventually(lambda: bool(suite.retriever.asked(retriever_pb2.ResolveGapsRequest)))
    return seen


def asked_for_gaps(suite: Orchestrating) -> int:
    """Return how often the retriever was asked for what the first pass lacks."""
    return len(suite.retriever.asked(retriever_pb2.ResolveGapsRequest))


def numbers(events: list[pb.AnswerEvent]) -> list[int]:
    """Return the numbers of events."""
    return [event.sequence for event in events]


def is_wanted(database: PostgresDatabase) -> bool:
    """Tell whether the only answer that is made is known to be followed elsewhere."""
    return database.rows("SELECT wanted > now() FROM cgrag_answer_holds") == [(True,)]


async def said_so(database: PostgresDatabase) -> None:
    """Wait until the maker of the only answer has said that it makes it, and listened."""
    before = database.rows("SELECT until FROM cgrag_answer_holds")
    await eventually(lambda: database.rows("SELECT until FROM cgrag_answer_holds") != before)


async def test_every_replica_serves_what_one_has_answered() -> None:
    """Read, watched, rated, replayed, compared with its shadow, and why its gaps stayed open: all at the other."""
    async with replicas(shadow_percent=100.0, page_token_key="k" * 16) as (database, first, second):
        first.classifier.symbols = ("vanish", "fade")
        events = await first.ask()
        answer_id = events[0].answer_id
        await eventually(lambda: bool(database.rows("SELECT 1 FROM cgrag_answers WHERE owner = '(shadow)'")))
        await eventually(lambda: not database.rows("SELECT 1 FROM cgrag_answer_holds"))
        answer = await second.stub.GetAnswer(pb.GetAnswerRequest(answer_id=answer_id))
        watched = await second.watch(answer_id)
        replayed = await second.replay(answer_id)
        shadow = await second.stub.GetShadow(pb.GetShadowRequest(answer_id=answer_id))
        await second.stub.RateAnswer(pb.RateAnswerRequest(answer_id=answer_id, rating=4))
        page = await first.stub.ListIndexDebt(pb.ListIndexDebtRequest(repository=REPOSITORY, page_size=1))
        rest = pb.ListIndexDebtRequest(repository=REPOSITORY, page_token=page.next_page_token)
        debts = [*page.debts, *(await second.stub.ListIndexDebt(rest)).debts]
        rated = database.rows("SELECT answer_id, rating FROM cgrag_answer_ratings")

    assert answer == events[-1].completed.answer
    assert watched == events
    assert not replayed.differences
    assert shadow.served == answer
    assert [each.wanted for each in debts] == ["fade", "vanish"]
    assert rated == [(answer_id, 4)]


async def test_after_any_event_the_other_goes_on_when_the_maker_is_gone() -> None:
    """Seen before and seen after are the whole, nothing twice; passes that were finished are not asked again."""
    async with replicas() as (database, first, second):
        length = len(await first.ask())
        for cut in range(1, length):
            whole = await first.ask()
            answer_id = whole[0].answer_id
            # As a process leaves it that is killed: nothing behind the cut is kept, and it says nothing any more.
            database.rows(
                f"DELETE FROM cgrag_answer_events WHERE answer_id = '{answer_id}' AND sequence > {cut};"
                f"INSERT INTO cgrag_answer_holds VALUES ('{answer_id}', 'gone', 1, now() - interval '1 second')"
            )
            rest = await second.watch(answer_id, cut)
            union = whole[:cut] + rest

            assert numbers(union) == [
                *range(1, cut + 1),
                *range(cut + 1 + _LEFT_OUT, cut + 1 + _LEFT_OUT + len(rest)),
            ]
            assert kinds(union).count("completed") == 1
            assert kinds(union).count("classified") == 1
            assert kinds(union).count("pass_finished") == 2
            assert union[-1].completed.answer.text == whole[-1].completed.answer.text


async def test_an_answer_is_followed_where_it_is_not_made() -> None:
    """The other shows at once what there is, then what comes; the retriever is asked once."""
    async with replicas(heartbeat_seconds=0.1) as (_, first, second):
        first.retriever.delay = {"ResolveGaps": 3.0}
        call = asking(first)
        seen = await held_up(first, call)
        begun = time.monotonic()
        there = following(second, seen[0].answer_id)
        first_there = await there.read()
        waited = time.monotonic() - begun
        here, elsewhere = await asyncio.gather(rest_of(call), rest_of(there))

    assert first_there == seen[0]
    assert waited < 2.0
    assert "heartbeat" in kinds(elsewhere)
    assert [each for each in [first_there, *elsewhere] if not each.HasField("heartbeat")] == [
        each for each in seen + here if not each.HasField("heartbeat")
    ]
    assert asked_for_gaps(first) == 1


async def test_one_request_at_both_is_one_answer() -> None:
    """A caller that tries again elsewhere, while it waits for the first, gets the same answer; one makes it."""
    async with replicas() as (_, first, second):
        first.retriever.delay = {"ResolveGaps": 0.3}
        both = await asyncio.gather(*(suite.ask(request_id="r1") for suite in (first, second)))

    assert both[0] == both[1]
    assert asked_for_gaps(first) == 1


async def test_a_follower_elsewhere_is_a_reader() -> None:
    """The maker goes on though its own reader has left; when the follower leaves, too, it stops within seconds."""
    async with replicas() as (database, first, second):
        first.retriever.delay = {"ResolveGaps": 1.5}
        call = asking(first)
        seen = await held_up(first, call)
        there = following(second, seen[0].answer_id, len(seen))
        await eventually(lambda: is_wanted(database))
        await said_so(database)
        await said_so(database)
        call.cancel()
        whole = seen + await rest_of(there)
        before = asked_for_gaps(first)
        first.retriever.delay = {"ResolveGaps": 30.0}
        call = asking(first)
        seen = await held_up(first, call)
        there = following(second, seen[0].answer_id, len(seen))
        await eventually(lambda: is_wanted(database))
        await said_so(database)
        await said_so(database)
        call.cancel()
        there.cancel()
        await eventually(lambda: first.retriever.cancelled == ["ResolveGaps"])

    assert kinds(whole)[-1] == "completed"
    assert numbers(whole) == list(range(1, len(whole) + 1))
    assert before == 1


async def test_an_answer_that_is_suspended_goes_on_where_it_is_followed() -> None:
    """A replica that stops lets its answers go: the other takes them up at once, with the next number."""
    retriever = FakeRetriever()
    with postgres_database() as database:
        shared: dict[str, Any] = {"answer_store_url": database.url, "answer_hold_seconds": 60.0}
        async with orchestrating(retriever, **shared) as second:
            async with orchestrating(retriever, **shared) as first:
                retriever.delay = {"ResolveGaps": 30.0}
                call = asking(first)
                seen = await held_up(first, call)
                there = following(second, seen[0].answer_id, len(seen))
                await eventually(lambda: is_wanted(database))
                retriever.delay = {}
                call.cancel()
            whole = seen + await rest_of(there)

    assert numbers(whole) == list(range(1, len(whole) + 1))
    assert kinds(whole).count("pass_finished") == 2
    assert whole[-1].completed.answer.text == text_of(whole, 2)


async def test_who_loses_an_answer_follows_who_makes_it() -> None:
    """A replica that was silent for too long writes nothing any more; its reader gets the rest from the other."""
    async with replicas() as (database, first, second):
        first.retriever.delay = {"ResolveGaps": 30.0}
        call = asking(first)
        seen = await held_up(first, call)
        first.retriever.delay = {}
        await eventually(lambda: database.rows("SELECT count(*) FROM cgrag_answer_events") == [(len(seen),)])
        database.rows("UPDATE cgrag_answer_holds SET until = now() - interval '1 minute', replica = 'silent'")
        there = await second.watch(seen[0].answer_id, len(seen))
        here = await rest_of(call)
        kept = await second.watch(seen[0].answer_id)

    assert numbers(there)[0] > len(seen)
    assert here == there
    assert kept == seen + there
    assert kinds(kept).count("completed") == 1
    assert first.retriever.cancelled == ["ResolveGaps"]


async def test_cancelling_at_the_other_reaches_the_maker() -> None:
    """Long before its hold is over: its stream ends CANCELLED, its work is stopped, nobody takes it up."""
    async with replicas(answer_hold_seconds=20.0) as (_, first, second):
        first.retriever.delay = {"ResolveGaps": 30.0}
        call = asking(first)
        seen = await held_up(first, call)
        begun = time.monotonic()
        cancelled = await second.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=seen[0].answer_id))
        ended = await refusal(rest_of(call))
        took = time.monotonic() - begun
        gone = await refusal(second.watch(seen[0].answer_id))
        await eventually(lambda: first.retriever.cancelled == ["ResolveGaps"])

    assert cancelled.was_running
    assert ended.code() is gone.code() is grpc.StatusCode.CANCELLED
    assert took < 10.0


async def test_cancelling_ends_the_streams_of_followers() -> None:
    """Wherever they are."""
    async with replicas() as (_, first, second):
        first.retriever.delay = {"ResolveGaps": 30.0}
        call = asking(first)
        seen = await held_up(first, call)
        there = following(second, seen[0].answer_id)
        await there.read()
        await first.stub.CancelAnswer(pb.CancelAnswerRequest(answer_id=seen[0].answer_id))
        ended = await refusal(rest_of(there))

    assert ended.code() is grpc.StatusCode.CANCELLED


async def test_a_session_that_is_forgotten_at_the_other_stops_its_answers(tmp_path: Path) -> None:
    """Nothing of them is kept afterwards, and nobody goes on making them."""
    async with replicas(data_dir=tmp_path) as (database, first, second):
        first.retriever.delay = {"ResolveGaps": 30.0}
        call = asking(first)
        seen = await held_up(first, call)
        await second.stub.DeleteSession(pb.DeleteSessionRequest(session_id=seen[0].started.session_id))
        ended = await refusal(rest_of(call))
        await eventually(lambda: first.retriever.cancelled == ["ResolveGaps"])
        left = database.rows("SELECT 1 FROM cgrag_answer_events")
        unknown = await refusal(second.watch(seen[0].answer_id))

    assert ended.code() is grpc.StatusCode.CANCELLED
    assert unknown.code() is grpc.StatusCode.NOT_FOUND
    assert left == []


async def test_an_answer_outlives_a_database_that_was_away() -> None:
    """What cannot be kept is not shown for long: the stream ends UNAVAILABLE, and when it is back it is taken up."""
    async with replicas() as (database, first, second):
        first.retriever.delay = {"ResolveGaps": 0.3}
        call = asking(first)
        seen = await held_up(first, call)
        database.go_away()
        ended = await refusal(rest_of(call, seen))
        away = await refusal(first.ask())
        database.come_back()
        rest = await second.watch(seen[0].answer_id, seen[-1].sequence)
        kept = await first.watch(seen[0].answer_id)

    assert ended.code() is away.code() is grpc.StatusCode.UNAVAILABLE
    assert "answer_store_url" in str(away.details())
    assert numbers(rest)[0] > seen[-1].sequence
    assert kinds(rest)[-1] == "completed"
    assert kept[-len(rest) :] == rest
    assert kinds(kept).count("classified") == 1
