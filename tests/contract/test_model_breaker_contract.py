"""The breaker of a model client, over every API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import aclosing

import pytest

from common.core.runtime.breaker import BreakerPolicy
from common.model.config import RetryPolicy
from common.model.failures import Cause, ModelFailed
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Failure, Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.model_desk import QUESTION, SCHEMA, SERVERS, desk

Fault = Callable[[replies.Wire], replies.Reply]


@pytest.fixture(params=sorted(SERVERS))
def server(request: pytest.FixtureRequest) -> Iterator[AnthropicServer]:
    with SERVERS[request.param]() as running:
        yield running


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
