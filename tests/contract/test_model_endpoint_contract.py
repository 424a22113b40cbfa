"""The model client over every API, each against a local server that speaks it: good answers, faults, what was sent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from common.core.contract.usage import TokenUsage
from common.core.runtime.breaker import BreakerPolicy
from common.model.config import RetryPolicy, Timeouts
from common.model.failures import Cause, ModelFailed
from common.model.values import Finished, ModelRequest, ModelRole, Part, TextDelta, Turn
from common.rpc.client.deadlines import start_deadline
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Failure, Message, Redirect
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.latency import least
from tests.fakes.model_desk import QUESTION, SCHEMA, SERVERS, desk
from tests.fakes.openai_server import OpenAiServer

Fault = Callable[[replies.Wire], replies.Reply]

QUICK = Timeouts(connect_seconds=1.0, first_event_seconds=0.3, idle_seconds=0.3, total_seconds=5.0)


@pytest.fixture(params=sorted(SERVERS))
def server(request: pytest.FixtureRequest) -> Iterator[AnthropicServer]:
    with SERVERS[request.param]() as running:
        yield running


async def test_streams_text_then_the_end_with_usage_and_cost(server: AnthropicServer) -> None:
    """Deltas come one by one; the last chunk has model, stop reason, tokens and price."""
    server.enqueue(Message(pieces=["Par", "is."], input_tokens=1000, output_tokens=10, cached_tokens=500))
    async with desk(server) as it:
        chunks = [chunk async for chunk in it.client.stream(QUESTION)]

    usage = TokenUsage(1000, 10, 500)
    assert chunks == [TextDelta("Par"), TextDelta("is."), Finished("big", "end_turn", usage, 0.0033)]


async def test_sends_the_prompt_in_order_and_asks_once(server: AnthropicServer) -> None:
    """Instructions come before what is asked, each piece in its place; the key is a bearer token."""
    request = ModelRequest(
        ModelRole.ANSWER, (Turn.user(Part("evidence", cache=True), "question"),), (Part("be brief", cache=True),)
    )
    async with desk(server) as it:
        await it.ask(request)

    sent = server.requests[0]
    ephemeral = {"type": "ephemeral"}
    assert len(server.requests) == 1
    assert sent.headers["authorization"] == "Bearer key-1"
    if isinstance(server, OpenAiServer):
        assert sent.json["messages"] == [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "evidence\n\nquestion"},
        ]
        return
    # Pieces that are marked as stable are kept by the endpoint.
    assert sent.json["system"] == [{"type": "text", "text": "be brief", "cache_control": ephemeral}]
    assert sent.json["messages"][0]["content"] == [
        {"type": "text", "text": "evidence", "cache_control": ephemeral},
        {"type": "text", "text": "question"},
    ]


@pytest.mark.parametrize("status", [307, 308])
async def test_goes_where_the_endpoint_has_moved(server: AnthropicServer, status: int) -> None:
    """A redirect that keeps the method gets the same request with its whole body."""
    server.enqueue(Redirect("/moved", status), Message("Paris."))
    async with desk(server) as it:
        text, _ = await it.ask()

    first, second = server.requests
    assert text == "Paris."
    assert (first.path.startswith("/v1/"), second.path) == (True, "/moved")
    assert second.body == first.body


async def test_completes_in_a_given_form(server: AnthropicServer) -> None:
    """A structured answer is asked for by its schema: as the input of a forced tool, or as JSON."""
    server.enqueue(Message(tool=("classify", {"mode": "diagnostic"})))
    async with desk(server) as it:
        completion = await it.client.complete(QUESTION, SCHEMA)

    assert completion.value == {"mode": "diagnostic"}
    sent = server.requests[0].json
    if isinstance(server, OpenAiServer):
        assert sent["response_format"]["json_schema"]["schema"] == SCHEMA.json_schema
    else:
        assert (sent["tool_choice"]["name"], sent["tools"][0]["input_schema"]) == ("classify", SCHEMA.json_schema)


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
    ("status", "cause", "hint"),
    [
        (400, Cause.REJECTED, "(rejected)"),
        (404, Cause.REJECTED, "; check its URL and the name of the model"),
        (401, Cause.UNAUTHORIZED, "; check its API key"),
        (403, Cause.UNAUTHORIZED, "; check its API key"),
    ],
)
async def test_does_not_repeat_what_was_wrong(server: AnthropicServer, status: int, cause: Cause, hint: str) -> None:
    """A refused request or key is not sent twice; its error says what to check, without the endpoint's text."""
    server.enqueue(Failure(status, message="key-1 is bad"))
    async with desk(server) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is cause
    assert raised.value.message.endswith(hint)
    assert "key-1" not in raised.value.message
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (lambda _: replies.stalled(), Cause.TIMEOUT),
        (lambda wire: replies.dripping("Paris.", wire), Cause.TIMEOUT),
        (lambda _: replies.invalid_json(), Cause.MALFORMED),
        (lambda _: replies.nested(), Cause.MALFORMED),
        (
            lambda _: replies.Raw([b"event: message_start\n", *[b"data: " + b"x" * 60_000 + b"\n"] * 20]),
            Cause.MALFORMED,
        ),
        (lambda _: replies.Raw([b"not compressed"], content_encoding="gzip"), Cause.MALFORMED),
        (lambda _: replies.empty(), Cause.MALFORMED),
        (lambda wire: replies.error_event(wire=wire), Cause.OVERLOADED),
        (lambda wire: replies.error_event(error_type="rate_limit_error", wire=wire), Cause.RATE_LIMITED),
        (lambda wire: replies.error_event(error_type="invalid_request_error", wire=wire), Cause.REJECTED),
        (lambda wire: replies.error_event(error_type="something new", wire=wire), Cause.SERVER_ERROR),
        (lambda _: replies.Raw([b"<html>"], content_type="text/html"), Cause.MALFORMED),
    ],
)
async def test_names_every_fault_before_the_first_text(server: AnthropicServer, fault: Fault, cause: Cause) -> None:
    """A stall, one byte a second, broken JSON, emptiness and late errors all end in a typed failure, in time."""
    server.enqueue(fault(server.wire))
    started = time.monotonic()
    timeouts = QUICK if cause is Cause.TIMEOUT else Timeouts()
    async with desk(server, timeouts=timeouts, retry=RetryPolicy(max_attempts=1)) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is cause
    assert time.monotonic() - started < 0.9 * QUICK.total_seconds


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (lambda wire: replies.stalled_after("Par", wire), Cause.TIMEOUT),
        (lambda wire: replies.error_event("Par", wire=wire), Cause.OVERLOADED),
        (lambda wire: replies.cut_off("Par", wire), Cause.INTERRUPTED),
        (replies.broken_utf8, Cause.MALFORMED),
    ],
)
async def test_does_not_start_again_under_the_eyes_of_the_reader(
    server: AnthropicServer, fault: Fault, cause: Cause
) -> None:
    """A stream that breaks after text was given raises; it is not asked again."""
    reply = fault(server.wire)
    server.enqueue(reply, reply, reply)
    async with desk(server, timeouts=Timeouts(idle_seconds=0.3)) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is cause
    assert len(server.requests) == (3 if fault is replies.broken_utf8 else 1)


@pytest.mark.parametrize("proxied", [False, True])
async def test_reads_what_is_compressed_unasked(
    server: AnthropicServer, monkeypatch: pytest.MonkeyPatch, *, proxied: bool
) -> None:
    """An endpoint, or a proxy before it, that compresses its answer is understood all the same."""
    url = server.base_url
    if proxied:
        monkeypatch.setenv("HTTP_PROXY", url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        url = "http://model.invalid/v1"
    server.enqueue(replies.compressed("Paris.", server.wire))
    async with desk(server, base_url=url) as it:
        text, _ = await it.ask()

    assert text == "Paris."


async def test_reads_characters_that_are_cut_between_packets(server: AnthropicServer) -> None:
    """Multi-byte characters may arrive in pieces."""
    server.enqueue(replies.cut_utf8("é€😀", server.wire))
    async with desk(server) as it:
        text, _ = await it.ask()

    assert text == "é€😀"


async def test_closing_the_stream_disconnects_within_100_ms(server: AnthropicServer) -> None:
    """Who stops reading stops the endpoint."""
    server.fallback = lambda _: replies.stalled_after("Par", server.wire)
    async with desk(server) as it:

        async def disconnected() -> float:
            async with aclosing(it.client.stream(QUESTION)) as chunks:
                assert await anext(chunks) == TextDelta("Par")
                closed_at = time.monotonic()
            return await asyncio.to_thread(server.wait_for_disconnect) - closed_at

        assert await least(disconnected, within=0.1) < 0.1


async def test_cancelling_the_task_disconnects_within_100_ms(server: AnthropicServer) -> None:
    """A cancelled reader disconnects, is counted as cancelled, and does not trip the breaker."""
    server.fallback = lambda _: replies.stalled()
    async with desk(server, breaker=BreakerPolicy(failures=1)) as it:

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
    async with desk(server) as it:
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
