"""Answers of endpoints that do what they were not asked for: compressed, nested too deeply, without an end."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from common.core.clock import SystemClock
from common.model.config import ModelConfig, RoleModel
from common.model.endpoint import open_endpoint
from common.model.failures import Cause, ModelFailed
from common.model.values import ModelRequest, ModelRole, OutputSchema, TextDelta, Turn
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Message, Raw
from tests.fakes.anthropic_server import AnthropicServer

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION = ModelRequest(ModelRole.ANSWER, (Turn.user("What is it?"),))
SCHEMA = OutputSchema("classify", "The mode.", {"mode": {"type": "string"}}, ("mode",))


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


async def _text(base_url: str, schema: OutputSchema | None = None) -> str:
    endpoint = open_endpoint(ModelConfig({}, base_url=base_url), SystemClock())
    try:
        async with aclosing(endpoint.ask(QUESTION, RoleModel("big"), schema, seconds=30)) as events:
            return "".join([event.text async for event in events if isinstance(event, TextDelta)])
    finally:
        await endpoint.close()


@pytest.mark.parametrize("proxied", [False, True])
async def test_reads_what_is_compressed_unasked(
    server: AnthropicServer, monkeypatch: pytest.MonkeyPatch, *, proxied: bool
) -> None:
    """An endpoint, or a proxy before it, that compresses its answer is understood all the same."""
    if proxied:
        monkeypatch.setenv("HTTP_PROXY", server.base_url)
        monkeypatch.delenv("NO_PROXY", raising=False)
    server.enqueue(replies.compressed("Paris."))

    assert await _text("http://model.invalid" if proxied else server.base_url) == "Paris."


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(replies.nested(), id="nested too deeply"),
        pytest.param(replace(replies.compressed("Paris."), chunks=[b"not compressed"]), id="not compressed"),
        pytest.param(Raw([b"event: message_start\n", *[b"data: " + b"x" * 60_000 + b"\n"] * 20]), id="too large"),
    ],
)
async def test_names_what_cannot_be_read(server: AnthropicServer, reply: Raw) -> None:
    """Bytes that are not what they are said to be, and events without measure, are not the protocol."""
    server.enqueue(reply)
    with pytest.raises(ModelFailed) as raised:
        await _text(server.base_url)

    assert raised.value.cause is Cause.MALFORMED


async def test_a_structured_answer_may_be_nested_too_deeply(server: AnthropicServer) -> None:
    """A structured answer that cannot be read for its depth has not its form; the endpoint is not held to be ill."""
    begin, *_, end, stop = replies.events(Message(), "model")
    delta = {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "[" * 100_000}}
    deep = b"event: content_block_delta\ndata: " + json.dumps(delta).encode() + b"\n\n"
    server.enqueue(Raw([begin, deep, end, stop]))
    with pytest.raises(ModelFailed) as raised:
        await _text(server.base_url, SCHEMA)

    assert raised.value.cause is Cause.UNUSABLE
