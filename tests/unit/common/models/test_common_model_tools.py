"""Tools of a request, and answers that break off and are asked for again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from common.model.config import RetryPolicy
from common.model.failures import Cause, ModelFailed
from common.model.values import Finished, ModelChunk, ModelRequest, OutputSchema, Restarted, TextDelta, ToolCall
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Failure, Message, Raw
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.model_desk import QUESTION, SERVERS, Desk, desk

FETCH = OutputSchema("fetch", "Asks for code.", {"symbol": {"type": "string"}})
WITH_TOOL = replace(QUESTION, tools=(FETCH,))


@pytest.fixture(params=sorted(SERVERS))
def server(request: pytest.FixtureRequest) -> Iterator[AnthropicServer]:
    with SERVERS[request.param]() as running:
        yield running


async def chunks_of(it: Desk, request: ModelRequest = QUESTION, *, retried: bool = False) -> list[ModelChunk]:
    """Return all pieces of an answer but its end."""
    again = (lambda: request) if retried else None
    async with aclosing(it.client.stream(request, again)) as chunks:
        return [each async for each in chunks if not isinstance(each, Finished)]


async def test_calls_of_tools_come_beside_text(server: AnthropicServer) -> None:
    """Each call comes whole, with the arguments as the model wrote them; the tool is described once."""
    calls = [("fetch", {"symbol": "a"}), ("fetch", {"symbol": "é\ud800"})]
    server.enqueue(Message(pieces=["It ", "is."], tools=calls))
    async with desk(server) as it:
        chunks = await chunks_of(it, WITH_TOOL)

    assert chunks[:3] == [TextDelta("It "), TextDelta("is."), ToolCall("fetch", '{"symbol": "a"}')]
    assert isinstance(chunks[3], ToolCall)
    assert "\ud800" not in chunks[3].arguments
    described = {"name": "fetch", "description": FETCH.description}
    assert server.requests[0].json["tools"] in (
        [{**described, "input_schema": FETCH.json_schema}],
        [{"type": "function", "function": {**described, "parameters": FETCH.json_schema}}],
    )
    assert "tool_choice" not in server.requests[0].json


async def test_a_call_without_the_end_of_its_block_counts() -> None:
    """Some endpoints of Anthropic's API leave events out, or give all arguments at the beginning."""
    whole = [*replies.events(Message(tools=[("fetch", {"symbol": "a"})]), "big")]
    given = [each.replace(b'"input": {}', b'"input": {"symbol": "b"}') for each in whole]
    with AnthropicServer() as server:
        server.enqueue(
            Raw([each for each in whole if not each.startswith(b"event: content_block_stop")]),
            Raw([each for each in given if not each.startswith(b"event: content_block_delta")]),
        )
        async with desk(server) as it:
            first, second = await chunks_of(it, WITH_TOOL), await chunks_of(it, WITH_TOOL)

    assert first == [ToolCall("fetch", '{"symbol": "a"}')]
    assert second == [ToolCall("fetch", '{"symbol": "b"}')]


async def test_an_answer_that_breaks_off_is_asked_for_again(server: AnthropicServer) -> None:
    """What came is void behind the mark; the end is that of the last attempt."""
    server.enqueue(replies.error_event("Par", wire=server.wire), Message("Paris."))
    async with desk(server) as it:
        chunks = await chunks_of(it, retried=True)

    assert chunks == [TextDelta("Par"), Restarted(), TextDelta("Paris.")]
    assert it.metrics.registry.get_sample_value(
        "cgrag_llm_retries_total", {"role": "answer", "model": "big", "outcome": "overloaded"}
    )


async def test_attempts_before_and_after_the_first_text_are_counted_together(server: AnthropicServer) -> None:
    """Three in all, and then the failure of the last one."""
    server.enqueue(
        Failure(529),
        replies.error_event("Par", wire=server.wire),
        replies.error_event("Pa", wire=server.wire),
        Message("Paris."),
    )
    async with desk(server, retry=RetryPolicy(max_attempts=3)) as it:
        with pytest.raises(ModelFailed) as failed:
            await chunks_of(it, retried=True)

    assert failed.value.cause is Cause.OVERLOADED
    assert len(server.requests) == 3


async def test_without_a_way_to_begin_anew_a_part_is_given_once(server: AnthropicServer) -> None:
    """Its reader has seen that part."""
    server.enqueue(replies.error_event("Par", wire=server.wire), Message("Paris."))
    async with desk(server) as it:
        with pytest.raises(ModelFailed):
            await chunks_of(it)

    assert len(server.requests) == 1
