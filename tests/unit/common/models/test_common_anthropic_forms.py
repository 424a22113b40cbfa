"""Values of an endpoint that have not the form, or the size, that its protocol gives them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest

from common.core.clock import SystemClock
from common.model.config import ModelConfig, RoleModel
from common.model.endpoint import open_endpoint
from common.model.failures import Cause, ModelFailed
from common.model.values import ModelRequest, ModelRole, OutputSchema, Turn
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Message, Raw
from tests.fakes.anthropic_server import AnthropicServer

QUESTION = ModelRequest(ModelRole.ANSWER, (Turn.user("What is it?"),))
SCHEMA = OutputSchema("classify", "The mode.", {"mode": {"type": "string"}}, ("mode",))

NO_NUMBERS: tuple[object, ...] = (-1, 1.5, 2**31, "12", True, [], {})
NO_TEXTS: tuple[object, ...] = (7, ["x"], {"a": 1})


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    """Listen as a model."""
    with AnthropicServer() as running:
        yield running


async def _asked(base_url: str, schema: OutputSchema | None = None, *, max_tokens: int = 100) -> list[Any]:
    endpoint = open_endpoint(ModelConfig({}, base_url=base_url), SystemClock())
    try:
        async with aclosing(endpoint.ask(QUESTION, RoleModel("big", max_tokens), schema, seconds=30)) as events:
            return [event async for event in events]
    finally:
        await endpoint.close()


def _changed(event: str, path: tuple[str, ...], value: object) -> Raw:
    """Return a good reply in which one value is another."""
    chunks: list[bytes | None] = []
    for chunk in replies.events(Message("Paris."), "model"):
        head, _, data = chunk.decode().partition("\ndata: ")
        body = json.loads(data)
        if head == f"event: {event}":
            place = body
            for name in path[:-1]:
                place = place[name]
            place[path[-1]] = value
        chunks.append(f"{head}\ndata: {json.dumps(body)}\n\n".encode())
    return Raw(chunks)


@pytest.mark.parametrize(
    ("event", "path", "value"),
    [
        *(("message_delta", ("usage", "output_tokens"), each) for each in NO_NUMBERS),
        *(("message_start", ("message", "model"), each) for each in NO_TEXTS),
        *(("content_block_delta", ("delta", "text"), each) for each in NO_TEXTS),
        *(("message_delta", ("delta", "stop_reason"), each) for each in NO_TEXTS),
    ],
)
async def test_tokens_are_whole_numbers_and_texts_are_texts(
    server: AnthropicServer, event: str, path: tuple[str, ...], value: object
) -> None:
    """What no contract can carry is not taken, as the answer would be lost at its end; all else is not the protocol."""
    server.enqueue(_changed(event, path, value))
    with pytest.raises(ModelFailed) as raised:
        await _asked(server.base_url)

    assert raised.value.cause is Cause.MALFORMED


@pytest.mark.parametrize("schema", [None, SCHEMA])
async def test_an_answer_far_beyond_what_was_asked_for_is_broken_off(
    server: AnthropicServer, schema: OutputSchema | None
) -> None:
    """An endpoint that never ends cannot fill the memory."""
    long = "x" * 10_000
    endless = Message(tool=("classify", {"mode": long * 20})) if schema else Message(pieces=[long] * 20)
    server.enqueue(endless, endless)
    with pytest.raises(ModelFailed) as raised:
        await _asked(server.base_url, schema)
    whole = await _asked(server.base_url, schema, max_tokens=4000)

    assert raised.value.cause is Cause.MALFORMED
    assert whole
