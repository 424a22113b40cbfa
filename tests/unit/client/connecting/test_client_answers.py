"""Answers' streams: whole, resumed after cuts, cancelled when left, failing with the contract's reasons."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2

from cgrag_client import Client, ClientError, ClientSettings, ServiceUnreachable
from cgrag_client.errors import from_rpc_error
from tests.fakes.answer_events import two_pass_answer, two_pass_events
from tests.fakes.failures import Failure
from tests.fakes.slow_line import slow_line
from tests.fakes.suite_server import Script, SuiteServer

EVENTS = two_pass_events()


class Pauses:
    """Remembers how long it was to wait, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@asynccontextmanager
async def connected(
    script: Script, pauses: Pauses | None = None, *, token: str = ""
) -> AsyncIterator[tuple[SuiteServer, Client]]:
    """Serve a script, and connect a client that takes no time between calls."""
    with SuiteServer(script) as server:
        at = server.address
        settings = ClientSettings(orchestrator=at, indexer=at, retriever=at, token=token)
        async with Client(settings, pause=pauses or Pauses()) as client:
            yield server, client


async def read(client: Client, **options: float) -> list[orchestrator_pb2.AnswerEvent]:
    return [event async for event in client.answers.ask("Why?", repository="shop", **options)]  # type: ignore[arg-type]


async def test_streams_all_events_in_order() -> None:
    """Every event comes once, in order, and the last one is `completed`."""
    async with connected(Script(events=list(EVENTS))) as (_, client):
        events = await read(client)

    assert events == EVENTS


@pytest.mark.parametrize("cut", range(1, len(EVENTS)))
async def test_takes_a_cut_stream_up_again(cut: int) -> None:
    """Cut after any event, the union is the whole: no hole, nothing twice, and the question is asked once."""
    async with connected(Script(events=list(EVENTS), cuts=[cut])) as (server, client):
        events = await read(client)

    assert events == EVENTS
    assert len(server.asked_for(orchestrator_pb2.AskRequest)) == 1
    [watch] = server.asked_for(orchestrator_pb2.WatchAnswerRequest)
    assert (watch.answer_id, watch.after_sequence) == ("answer-1", cut)


async def test_waits_longer_from_cut_to_cut_and_gives_up() -> None:
    """Cuts without progress are taken up 5 times with growing pauses; then the error is the caller's."""
    pauses = Pauses()
    async with connected(Script(events=EVENTS[:3], cuts=[3] + [3] * 10), pauses) as (_, client):
        with pytest.raises(ServiceUnreachable):
            await read(client)

    assert pauses.seconds == [0.2, 0.4, 0.8, 1.6, 2.0]


async def test_does_not_take_up_an_answer_that_failed() -> None:
    """A service that says that its dependency is down has ended the answer: that is no cut."""
    failure = Failure(grpc.StatusCode.UNAVAILABLE, "retriever is down", "ERROR_REASON_DEPENDENCY_UNAVAILABLE")
    async with connected(Script(events=list(EVENTS), cuts=[4], cut_with=failure)) as (server, client):
        with pytest.raises(ClientError, match="retriever is down") as raised:
            await read(client)

    assert raised.value.reason == "ERROR_REASON_DEPENDENCY_UNAVAILABLE"
    assert not server.asked_for(orchestrator_pb2.WatchAnswerRequest)


async def test_passes_heartbeats_on_without_counting_them() -> None:
    """A heartbeat repeats a sequence number and is neither dropped nor taken for progress."""
    beat = orchestrator_pb2.AnswerEvent(sequence=1, answer_id="answer-1", heartbeat=orchestrator_pb2.Heartbeat())
    script = [EVENTS[0], beat, *EVENTS[1:]]
    async with connected(Script(events=script)) as (_, client):
        events = await read(client)

    assert events == script


async def test_cancels_the_stream_when_the_reader_leaves() -> None:
    """Leaving the loop ends the call on the server."""
    async with connected(Script(events=list(EVENTS), hang_after=2)) as (server, client):
        async with aclosing(client.answers.ask("Why?", repository="shop")) as events:
            async for event in events:
                if event.sequence == 2:
                    break
        left = await asyncio.to_thread(server.left.wait, 5)

    assert left


async def test_stops_at_the_deadline() -> None:
    """A stream that takes longer than the caller's time ends with DEADLINE_EXCEEDED."""
    async with connected(Script(events=list(EVENTS), hang_after=2)) as (_, client):
        with pytest.raises(ClientError) as raised:
            await read(client, timeout_seconds=0.3)

    assert raised.value.reason == "ERROR_REASON_DEADLINE_EXCEEDED"
    assert "--timeout" in raised.value.next_step


async def test_refuses_a_stream_that_ends_without_an_answer() -> None:
    """An OK stream without `completed` breaks the contract and is an error."""
    async with connected(Script(events=EVENTS[:5])) as (_, client):
        with pytest.raises(ClientError, match="ended without an answer"):
            await read(client)


async def test_rebuilds_errors_with_reason_violations_and_retry() -> None:
    """ErrorInfo, BadRequest and RetryInfo come back as fields of the error."""
    failure = Failure(
        grpc.StatusCode.INVALID_ARGUMENT,
        "question: must not be empty",
        "ERROR_REASON_INVALID_ARGUMENT",
        violations=(("question", "must not be empty"),),
        retry_after_seconds=7,
    )
    async with connected(Script(failure=failure)) as (_, client):
        with pytest.raises(ClientError) as raised:
            await read(client)

    error = raised.value
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ERROR_REASON_INVALID_ARGUMENT")
    assert [(each.field, each.description) for each in error.violations] == [("question", "must not be empty")]
    assert error.retry_after_seconds == 7
    assert error.metadata == {"name": "x"}
    assert error.request_id


async def test_says_where_nobody_answers() -> None:
    """An address without a server gives an error that names the address and the next step."""
    async with Client(ClientSettings(orchestrator="127.0.0.1:1")) as client:
        with pytest.raises(ServiceUnreachable, match=r"127\.0\.0\.1:1") as raised:
            await read(client)

    assert raised.value.message == "nobody answers at 127.0.0.1:1 (the orchestrator): nothing listens there"
    assert "cgrag up" in raised.value.next_step


async def test_says_soon_that_a_service_hangs() -> None:
    """It takes connections and says nothing: that is told after 5 s, not 20, with what to do about it."""
    with SuiteServer(Script()) as server:
        async with slow_line(int(server.address.rpartition(":")[2]), is_dead=True) as line:
            began = time.monotonic()
            async with Client(ClientSettings(orchestrator=line.target)) as client:
                with pytest.raises(ServiceUnreachable, match=r"\(the orchestrator\): it takes connections") as raised:
                    await read(client)

    assert time.monotonic() - began < 12
    assert "its log" in raised.value.next_step


async def test_says_that_something_else_listens_there() -> None:
    """A call that gRPC itself does not find went to another service or version, and the error names the address."""
    failure = Failure(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
    async with connected(Script(failure=failure)) as (server, client):
        named = rf"{server.address} \(the orchestrator\)"
        with pytest.raises(ClientError, match=f"listens at {named} does not know this call"):
            await read(client)


async def test_sends_token_and_request_ids() -> None:
    """Every call carries the bearer token and a request id; a question carries an id that makes it idempotent."""
    async with connected(Script(events=list(EVENTS)), token="secret") as (server, client):
        await read(client)

    assert server.metadata["authorization"] == "Bearer secret"
    assert server.metadata["x-request-id"]
    assert server.asked[0].request_id


async def test_reads_the_whole_answer_at_once() -> None:
    """`answer` waits for the end and returns the answer alone."""
    async with connected(Script(events=list(EVENTS))) as (_, client):
        answer = await client.answers.answer("Why?", repository="shop")

    assert answer == two_pass_answer()


async def test_follows_pages_to_the_end() -> None:
    """Lists are read page by page."""
    async with connected(Script()) as (_, client):
        sessions = await client.answers.sessions()

    assert [each.session_id for each in sessions] == ["a", "b"]


def test_a_call_that_a_stopping_server_broke_off_is_a_cut() -> None:
    """CANCELLED without a reason is the transport's: who cancels here is not told, and a stream goes on elsewhere."""
    nothing = grpc.aio.Metadata()
    raw = grpc.aio.AioRpcError(grpc.StatusCode.CANCELLED, nothing, nothing, details="CANCELLED")

    error = from_rpc_error(raw, target="127.0.0.1:1")

    assert isinstance(error, ServiceUnreachable)
    assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "ERROR_REASON_DEPENDENCY_UNAVAILABLE")
