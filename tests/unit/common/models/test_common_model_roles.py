"""One client, several roles: what the model of one meets is nothing to the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from common.core.runtime.breaker import BreakerPolicy
from common.model.config import RetryPolicy, Timeouts
from common.model.failures import Cause, ModelFailed
from common.model.values import ModelRole
from tests.fakes.anthropic_replies import Failure
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.model_desk import QUESTION, desk


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


async def test_roles_do_not_pay_for_each_other(server: AnthropicServer) -> None:
    """A role whose model fails, or is asked to wait, leaves the models of the others as welcome as they were."""
    policy = BreakerPolicy(failures=1)
    limits = Timeouts(total_seconds=5.0)
    async with desk(server, breaker=policy, retry=RetryPolicy(max_attempts=1), timeouts=limits) as it:
        server.enqueue(Failure(529, retry_after="5"))
        causes = []
        for _ in range(2):
            with pytest.raises(ModelFailed) as raised:
                await it.ask(replace(QUESTION, role=ModelRole.SHADOW))
            causes.append(raised.value.cause)
        text, _ = await it.ask()

    assert causes == [Cause.OVERLOADED, Cause.BREAKER_OPEN]
    assert text == "ok"
    assert it.clock.slept == []
    assert 'cgrag_llm_breaker_state{role="answer"} 0.0' in it.metrics.text()
    assert 'cgrag_llm_breaker_state{role="shadow"} 2.0' in it.metrics.text()
