"""The model client against a local server that speaks the Messages API: good answers, faults, and what was sent."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common.core.runtime.breaker import BreakerPolicy
from common.model.anthropic_endpoint import AnthropicEndpoint
from common.model.client import Backoff, ModelClient
from common.model.config import ModelConfig, RetryPolicy, RoleModel, Timeouts
from common.model.failures import Cause, ModelFailed
from common.model.metrics import ModelMetrics
from common.model.values import Finished, ModelRequest, ModelRole, OutputSchema, Part, TextDelta, Turn, Usage
from common.observability.metrics import Metrics
from common.rpc.client.deadlines import start_deadline
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Failure, Message, Redirect
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.clock import FakeClock
from tests.fakes.latency import least

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

QUESTION = ModelRequest(ModelRole.ANSWER, (Turn.user("What is it?"),))
SCHEMA = OutputSchema("classify", "The mode.", {"mode": {"type": "string"}}, ("mode",))
QUICK = Timeouts(connect_seconds=1.0, first_event_seconds=0.3, idle_seconds=0.3, total_seconds=5.0)


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


class Desk:
    """A client with its clock, its metrics, and the waits it made."""

    def __init__(self, server: AnthropicServer, config: ModelConfig | None = None) -> None:
        self.clock = FakeClock()
        self.metrics = Metrics("test")
        big = RoleModel("big", input_usd_per_million=3.0, output_usd_per_million=15.0)
        roles = {ModelRole.ANSWER: big, ModelRole.SHADOW: RoleModel("small")}
        self.config = replace(config or ModelConfig(roles), roles=roles, base_url=server.base_url, api_key="key-1")
        self.client = ModelClient(
            self.config,
            AnthropicEndpoint(self.config, self.clock),
            ModelMetrics(self.metrics, list(roles), ["big", "small"]),
            self.clock,
            Backoff(self.clock.sleep, lambda: 1.0),
        )

    async def ask(self, request: ModelRequest = QUESTION) -> tuple[str, Finished]:
        """Return the whole text and the end."""
        chunks = [chunk async for chunk in self.client.stream(request)]
        assert isinstance(chunks[-1], Finished)
        return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)), chunks[-1]


@asynccontextmanager
async def desk(server: AnthropicServer, **changes: object) -> AsyncIterator[Desk]:
    config = replace(ModelConfig({}, timeouts=QUICK), **changes)  # type: ignore[arg-type]  # names are checked by replace
    opened = Desk(server, config)
    try:
        yield opened
    finally:
        await opened.client.close()


async def test_streams_text_then_the_end_with_usage_and_cost(server: AnthropicServer) -> None:
    """Deltas come one by one; the last chunk has model, stop reason, tokens and price."""
    server.enqueue(Message(pieces=["Par", "is."], input_tokens=1000, output_tokens=10, cached_tokens=500))
    async with desk(server) as it:
        chunks = [chunk async for chunk in it.client.stream(QUESTION)]

    usage = Usage(1000, 10, 500)
    assert chunks == [TextDelta("Par"), TextDelta("is."), Finished("big", "end_turn", usage, 0.0033)]


async def test_sends_stable_prefix_as_cacheable_and_asks_once(server: AnthropicServer) -> None:
    """Pieces marked as stable carry cache_control; the SDK does not retry; the key is a bearer token."""
    request = ModelRequest(
        ModelRole.ANSWER, (Turn.user(Part("evidence", cache=True), "question"),), (Part("be brief", cache=True),)
    )
    async with desk(server) as it:
        await it.ask(request)

    sent = server.requests[0]
    ephemeral = {"type": "ephemeral"}
    assert len(server.requests) == 1
    assert sent.headers["authorization"] == "Bearer key-1"
    assert sent.json["system"] == [{"type": "text", "text": "be brief", "cache_control": ephemeral}]
    assert sent.json["messages"][0]["content"] == [
        {"type": "text", "text": "evidence", "cache_control": ephemeral},
        {"type": "text", "text": "question"},
    ]


@pytest.mark.parametrize("status", [307, 308])
async def test_goes_where_the_endpoint_has_moved(server: AnthropicServer, status: int) -> None:
    """A redirect that keeps the method gets the same request with its whole body."""
    server.enqueue(Redirect("/moved/v1/messages", status), Message("Paris."))
    async with desk(server) as it:
        text, _ = await it.ask()

    first, second = server.requests
    assert text == "Paris."
    assert (first.path, second.path) == ("/v1/messages", "/moved/v1/messages")
    assert second.body == first.body


async def test_completes_by_forced_tool(server: AnthropicServer) -> None:
    """A structured answer is the input of the one tool that the model is made to call."""
    server.enqueue(Message(tool=("classify", {"mode": "diagnostic"})))
    async with desk(server) as it:
        completion = await it.client.complete(QUESTION, SCHEMA)

    assert completion.value == {"mode": "diagnostic"}
    assert server.requests[0].json["tool_choice"]["name"] == "classify"


async def test_asks_again_when_a_structured_answer_lacks_its_form(server: AnthropicServer) -> None:
    """An answer without a required property is asked for again; the endpoint is not held to be ill."""
    server.enqueue(Message(tool=("classify", {})), Message("no tool"), Message(tool=("classify", {"mode": "x"})))
    async with desk(server, breaker=BreakerPolicy(failures=1)) as it:
        completion = await it.client.complete(QUESTION, SCHEMA)

    assert completion.value == {"mode": "x"}


async def test_secrets_never_reach_the_model(server: AnthropicServer) -> None:
    """Keys in source and in questions are gone from the bytes that the endpoint received, and counted."""
    source = 'token = "ghp_' + "a1B2" * 9 + '"\npassword = "hunter2secret"\nSECRET_KEY=abc123def456\n'
    async with desk(server) as it:
        await it.ask(ModelRequest(ModelRole.ANSWER, (Turn.user(source),), (Part("key sk-ant-" + "x" * 20),)))

    body = server.requests[0].body
    assert not any(secret in body for secret in (b"ghp_", b"hunter2", b"abc123def456", b"sk-ant-"))
    assert body.count(b"[redacted]") == 4
    assert 'cgrag_secrets_redacted_total{class="github"} 1.0' in it.metrics.text()


@pytest.mark.parametrize("status", [429, 529, 500, 503])
async def test_asks_again_after_what_was_asked(server: AnthropicServer, status: int) -> None:
    """With retry-after 1 the next attempt comes after at least one second."""
    server.enqueue(Failure(status, "1"), Message("Paris."))
    async with desk(server) as it:
        text, _ = await it.ask()

    assert text == "Paris."
    assert sum(it.clock.slept) >= 1.0


async def test_gives_up_at_once_when_asked_to_wait_long(server: AnthropicServer) -> None:
    """Retry-after 120 is not waited for, and never tried earlier, not even by the next request."""
    server.enqueue(Failure(429, "120"))
    async with desk(server) as it:
        with pytest.raises(ModelFailed) as first:
            await it.ask()
        with pytest.raises(ModelFailed) as second:
            await it.ask()
        it.clock.advance(120.0)
        text, _ = await it.ask()

    assert (first.value.cause, second.value.cause) == (Cause.RATE_LIMITED, Cause.BREAKER_OPEN)
    assert it.clock.slept == []
    assert text == "ok"
    assert len(server.requests) == 2


async def test_backs_off_by_itself_when_no_wait_is_named(server: AnthropicServer) -> None:
    """Without retry-after the waits double; the last failure is raised."""
    server.enqueue(Failure(529), Failure(529), Failure(529))
    async with desk(server) as it:
        with pytest.raises(ModelFailed, match="529") as raised:
            await it.ask()

    assert raised.value.cause is Cause.OVERLOADED
    assert it.clock.slept == [0.5, 1.0]


@pytest.mark.parametrize(
    ("status", "cause"), [(400, Cause.REJECTED), (401, Cause.UNAUTHORIZED), (403, Cause.UNAUTHORIZED)]
)
async def test_does_not_repeat_what_was_wrong(server: AnthropicServer, status: int, cause: Cause) -> None:
    """A refused request or key is not sent twice, and its error does not repeat the endpoint's text."""
    server.enqueue(Failure(status, message="key-1 is bad"))
    async with desk(server) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is cause
    assert "key-1" not in raised.value.message
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (replies.stalled(), Cause.TIMEOUT),
        (replies.dripping("Paris."), Cause.TIMEOUT),
        (replies.invalid_json(), Cause.MALFORMED),
        (replies.empty(), Cause.MALFORMED),
        (replies.error_event(), Cause.OVERLOADED),
        (replies.Raw([b"<html>"], content_type="text/html"), Cause.MALFORMED),
    ],
)
async def test_names_every_fault_before_the_first_text(
    server: AnthropicServer, reply: replies.Reply, cause: Cause
) -> None:
    """A stall, one byte a second, broken JSON, emptiness and late errors all end in a typed failure, in time."""
    server.enqueue(reply)
    started = time.monotonic()
    async with desk(server, retry=RetryPolicy(max_attempts=1)) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is cause
    assert time.monotonic() - started < 0.9 * QUICK.total_seconds


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (replies.stalled_after("Par"), Cause.TIMEOUT),
        (replies.error_event("Par"), Cause.OVERLOADED),
        (replies.broken_utf8(), Cause.MALFORMED),
    ],
)
async def test_does_not_start_again_under_the_eyes_of_the_reader(
    server: AnthropicServer, reply: replies.Reply, cause: Cause
) -> None:
    """A stream that breaks after text was given raises; it is not asked again."""
    server.enqueue(reply, reply, reply)
    async with desk(server) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is cause
    assert len(server.requests) == (3 if reply == replies.broken_utf8() else 1)


async def test_reads_characters_that_are_cut_between_packets(server: AnthropicServer) -> None:
    """Multi-byte characters may arrive in pieces."""
    server.enqueue(replies.cut_utf8("é€😀"))
    async with desk(server) as it:
        text, _ = await it.ask()

    assert text == "é€😀"


async def test_breaker_opens_probes_once_and_recovers(server: AnthropicServer) -> None:
    """After enough failures nothing is sent; after a while one probe is, and its success lets all through again."""
    policy = BreakerPolicy(failures=2, open_seconds=30.0)
    async with desk(server, breaker=policy, retry=RetryPolicy(max_attempts=1)) as it:
        server.enqueue(Failure(500), Failure(500))
        causes = []
        for _ in range(3):
            with pytest.raises(ModelFailed) as raised:
                await it.ask()
            causes.append(raised.value.cause)
        it.clock.advance(30.0)
        async with aclosing(it.client.stream(QUESTION)) as probe:
            await anext(probe)
            with pytest.raises(ModelFailed) as beside:
                await it.ask()
            await anext(probe)
            assert [chunk async for chunk in probe] == []
        text, _ = await it.ask()

    assert causes == [Cause.SERVER_ERROR, Cause.SERVER_ERROR, Cause.BREAKER_OPEN]
    assert beside.value.cause is Cause.BREAKER_OPEN
    assert text == "ok"
    assert len(server.requests) == 4


async def test_structured_answers_count_as_successes(server: AnthropicServer) -> None:
    """Failures with structured answers between them are not failures in a row."""
    answer = Message(tool=("classify", {"mode": "x"}))
    causes = []
    async with desk(server, breaker=BreakerPolicy(failures=2), retry=RetryPolicy(max_attempts=1)) as it:
        for _ in range(3):
            server.enqueue(Failure(500), answer)
            with pytest.raises(ModelFailed) as raised:
                await it.client.complete(QUESTION, SCHEMA)
            causes.append(raised.value.cause)
            await it.client.complete(QUESTION, SCHEMA)

    assert causes == [Cause.SERVER_ERROR] * 3


async def test_a_structured_answer_closes_the_breaker(server: AnthropicServer) -> None:
    """A probe that is answered in full form lets all through again."""
    async with desk(server, breaker=BreakerPolicy(failures=1), retry=RetryPolicy(max_attempts=1)) as it:
        server.enqueue(Failure(500), Message(tool=("classify", {"mode": "x"})))
        with pytest.raises(ModelFailed):
            await it.ask()
        it.clock.advance(30.0)
        await it.client.complete(QUESTION, SCHEMA)

    assert 'cgrag_llm_breaker_state{role="answer"} 0.0' in it.metrics.text()


async def test_closing_the_stream_disconnects_within_100_ms(server: AnthropicServer) -> None:
    """Who stops reading stops the endpoint."""
    server.fallback = lambda _: replies.stalled_after("Par")
    async with desk(server, timeouts=Timeouts()) as it:

        async def disconnected() -> float:
            async with aclosing(it.client.stream(QUESTION)) as chunks:
                assert await anext(chunks) == TextDelta("Par")
                closed_at = time.monotonic()
            return await asyncio.to_thread(server.wait_for_disconnect) - closed_at

        assert await least(disconnected, within=0.1) < 0.1


async def test_cancelling_the_task_disconnects_within_100_ms(server: AnthropicServer) -> None:
    """A cancelled reader disconnects, is counted as cancelled, and does not trip the breaker."""
    server.fallback = lambda _: replies.stalled()
    async with desk(server, timeouts=Timeouts(), breaker=BreakerPolicy(failures=1)) as it:

        async def disconnected() -> float:
            before = len(server.requests)
            reading = asyncio.create_task(it.ask())
            await asyncio.to_thread(server.wait_for_requests, before + 1)
            cancelled_at = time.monotonic()
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            return await asyncio.to_thread(server.wait_for_disconnect) - cancelled_at

        seconds = await least(disconnected, within=0.1)
        cancelled = float(len(server.requests))
        server.enqueue(Message("ok"))
        text, _ = await it.ask()

    assert seconds < 0.1
    assert text == "ok"
    assert f'cgrag_llm_requests_total{{model="big",outcome="cancelled",role="answer"}} {cancelled}' in it.metrics.text()


async def test_ends_with_the_deadline_of_the_served_call(server: AnthropicServer) -> None:
    """The time left of the call being served bounds the request, whatever the endpoint's timeouts are."""
    server.enqueue(replies.stalled())
    start_deadline(0.4)
    started = time.monotonic()
    async with desk(server, timeouts=Timeouts()) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is Cause.TIMEOUT
    assert time.monotonic() - started < 5


async def test_says_when_nobody_listens() -> None:
    """An endpoint that is not there is unreachable, after the usual attempts."""
    with AnthropicServer() as gone:
        pass
    async with desk(gone) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is Cause.UNREACHABLE
    assert len(it.clock.slept) == 2


async def test_refuses_roles_without_a_model(server: AnthropicServer) -> None:
    """A role that is not configured is never sent anywhere."""
    async with desk(server) as it:
        with pytest.raises(ModelFailed, match="role judge"):
            await it.ask(replace(QUESTION, role=ModelRole.JUDGE))

    assert server.requests == []
