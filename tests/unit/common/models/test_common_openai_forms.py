"""Forms in which servers of OpenAI's API differ from one another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from common.core.clock import SystemClock
from common.core.contract.usage import TokenUsage
from common.model.config import ModelConfig, RoleModel
from common.model.endpoint import open_endpoint
from common.model.failures import Cause, ModelFailed
from common.model.values import Finished, ModelChunk, TextDelta, ToolCall
from tests.fakes.anthropic_replies import Failure, Message, Raw
from tests.fakes.http_peer import Peer
from tests.fakes.model_desk import QUESTION, SCHEMA, desk
from tests.fakes.openai_server import OpenAiServer, events

WITH_TOOL = replace(QUESTION, tools=(SCHEMA,))


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer() as running:
        yield running


def chunk(delta: Mapping[str, Any], reason: str | None = None, **beside: object) -> bytes:
    """Return an event with one choice."""
    data = {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **beside}
    return f"data: {json.dumps(data)}\n\n".encode()


async def received(server: OpenAiServer, *chunks: bytes) -> list[ModelChunk]:
    """Return what a reply of these events gives."""
    server.enqueue(Raw(chunks))
    async with desk(server) as it:
        return [each async for each in it.client.stream(WITH_TOOL)]


def call(arguments: str, **form: object) -> dict[str, object]:
    """Return a whole call of a tool."""
    return {**form, "function": {"name": "classify", "arguments": arguments}}


@pytest.mark.parametrize(
    "forms",
    [
        pytest.param([{"index": 0, "id": "a"}, {"index": 0, "id": "b"}], id="one index, told apart by id"),
        pytest.param([{"index": 0}, {"index": 1}], id="no ids"),
        pytest.param([{"index": 1, "id": "a"}, {"index": 2, "id": "b"}], id="not from zero"),
    ],
)
async def test_several_calls_may_come_in_one_event(server: OpenAiServer, forms: list[dict[str, object]]) -> None:
    """Whole calls of one event are told apart by id or index."""
    calls = [call(f'{{"mode": "{at}"}}', **form) for at, form in enumerate(forms)]
    chunks = await received(server, chunk({"tool_calls": calls}, "tool_calls"))

    assert chunks[:-1] == [ToolCall("classify", '{"mode": "0"}'), ToolCall("classify", '{"mode": "1"}')]


async def test_parts_of_calls_may_take_turns(server: OpenAiServer) -> None:
    """The arguments of calls are put together by index; a repeated id and name begin no call."""
    first = {"index": 0, "id": "a", "function": {"name": "classify", "arguments": '{"mode":'}}
    chunks = await received(
        server,
        chunk({"tool_calls": [first, {**first, "index": 1, "id": "b"}]}),
        chunk({"tool_calls": [{**first, "function": {"name": "classify", "arguments": "1}"}}]}),
        chunk({"tool_calls": [{"index": 1, "function": {"arguments": "2}"}}]}, "tool_calls"),
    )

    assert chunks[:-1] == [ToolCall("classify", '{"mode":1}'), ToolCall("classify", '{"mode":2}')]


async def test_the_end_may_come_without_its_mark_and_without_usage(server: OpenAiServer) -> None:
    """A reason ends an answer; unknown events, fields and nulls before it are passed over."""
    begin = chunk({"role": "assistant", "content": None, "reasoning_content": "hm"}, usage=None, system_fingerprint="x")
    chunks = await received(server, begin, chunk({"content": "Paris."}), chunk({}, "stop"))

    assert chunks == [TextDelta("Paris."), Finished("m", "end_turn", TokenUsage())]


async def test_the_mark_ends_an_answer_without_a_reason(server: OpenAiServer) -> None:
    """Some servers name no reason; what ends without either was cut off."""
    chunks = await received(server, chunk({"content": "Paris."}), b"data: [DONE]\n\n")
    with pytest.raises(ModelFailed) as raised:
        await received(server, chunk({"content": "Paris."}))

    assert chunks == [TextDelta("Paris."), Finished("m", "", TokenUsage())]
    assert raised.value.cause is Cause.INTERRUPTED


@pytest.mark.parametrize(
    ("delta", "reason", "expected"),
    [
        ({"refusal": "No."}, "stop", "refusal"),
        ({}, "content_filter", "refusal"),
        ({}, "length", "max_tokens"),
        ({}, "something new", "something new"),
    ],
)
async def test_reasons_of_the_end(server: OpenAiServer, delta: Mapping[str, str], reason: str, expected: str) -> None:
    """Reasons are named alike for every API."""
    *_, finished = await received(server, chunk(delta), chunk({}, reason))

    assert isinstance(finished, Finished)
    assert finished.stop_reason == expected


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            TokenUsage(5, 2, 4),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": None}, TokenUsage(9, 2)),
        (
            {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            TokenUsage(0, 2, 4),
        ),
        ({"total_tokens": 9}, TokenUsage()),
    ],
)
async def test_usage_is_taken_as_far_as_it_is_told(
    server: OpenAiServer, usage: Mapping[str, object], expected: TokenUsage
) -> None:
    """Cached tokens are part of those of the prompt; what a server leaves out, or counts oddly, ends no answer."""
    last = f"data: {json.dumps({'model': 'm', 'choices': [], 'usage': usage})}\n\n".encode()
    *_, finished = await received(server, chunk({"content": "Paris."}), chunk({}, "stop"), last)

    assert isinstance(finished, Finished)
    assert finished.usage == expected


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ({"code": 503, "message": "Loading model", "type": "unavailable_error"}, Cause.OVERLOADED),
        ({"code": "rate_limit_exceeded", "type": "tokens"}, Cause.RATE_LIMITED),
        ({"code": "invalid_api_key", "type": "invalid_request_error"}, Cause.UNAUTHORIZED),
        ("out of memory", Cause.SERVER_ERROR),
    ],
)
async def test_errors_within_an_answer_are_named(server: OpenAiServer, error: object, cause: Cause) -> None:
    """A code says more than a type, and may be an HTTP status."""
    event = f"data: {json.dumps({'error': error})}\n\n".encode()
    with pytest.raises(ModelFailed) as raised:
        await received(server, chunk({"content": "Par"}), event)

    assert raised.value.cause is cause


@pytest.mark.parametrize("event", [b"data: 1\n\n", b'data: {"choices": {"a": 1}}\n\n', b'data: {"choices": [1]}\n\n'])
async def test_events_of_another_form_are_a_fault_of_the_endpoint(server: OpenAiServer, event: bytes) -> None:
    """Valid JSON of another form is not the protocol."""
    with pytest.raises(ModelFailed) as raised:
        await received(server, chunk({"content": "Par"}), event)

    assert raised.value.cause is Cause.MALFORMED


async def test_the_limit_is_named_as_the_model_wants_it(server: OpenAiServer) -> None:
    """A model that refuses `max_tokens` for `max_completion_tokens` gets that, also in the next request."""
    text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    server.enqueue(Failure(400, message=text), Message("Paris."))
    async with desk(server) as it:
        answers = [(await it.ask(replace(QUESTION, max_tokens=7)))[0] for _ in range(2)]

    sent = [{name: value for name, value in each.json.items() if name.startswith("max_")} for each in server.requests]
    assert answers == ["Paris.", "ok"]
    assert sent == [{"max_tokens": 7}, {"max_completion_tokens": 7}, {"max_completion_tokens": 7}]


async def test_closing_closes_what_was_kept_for_the_next_request() -> None:
    """A connection that an answer left open ends with the client, not with its idle time."""
    body = b"".join(events(Message("Paris."), "m"))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % len(body)
    peer = Peer(head + body, head + body)
    async with peer.listening():
        endpoint = open_endpoint(ModelConfig({}, api="openai", base_url=f"http://127.0.0.1:{peer.port}"), SystemClock())
        for _ in range(2):
            asked = endpoint.ask(QUESTION, RoleModel("m"), seconds=30)
            text, _ = [each async for each in asked]
            assert text == TextDelta("Paris.")
        was_open = not peer.closed.is_set()
        await endpoint.close()
        await asyncio.wait_for(peer.closed.wait(), 3)

    assert (was_open, peer.opened) == (True, 1)


async def test_no_key_is_sent_to_a_server_that_needs_none(server: OpenAiServer) -> None:
    """A local server without a key gets no authorization header."""
    async with desk(server, api_key="") as it:
        await it.ask()

    assert "authorization" not in server.requests[0].headers
