"""Answers of a model over OpenAI's API, end to end against a local server that speaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.fakes.anthropic_replies import Failure, Message, stalled_after
from tests.fakes.openai_server import OPENAI, OpenAiServer
from tests.fakes.orchestrating import kinds, orchestrating, text_of

FIRST = "`checkout()` calls `charge()` [E1]; I do not see how."
SECOND = Message("`checkout()` calls `charge()` [E1], and `charge()` calls `authorise()` [E2].\n", cached_tokens=7)
GAP = {"symbol": "charge", "path": "shop/payment.py", "why": "how money is taken"}


@pytest.fixture
def model() -> Iterator[OpenAiServer]:
    with OpenAiServer() as server:
        yield server


def asking(model: OpenAiServer, **settings: Any) -> Any:
    """Run an orchestrator whose engine asks this model, without a key."""
    wanted: dict[str, Any] = {"engine": "model", "model_api": "openai", "model_url": model.base_url}
    return orchestrating(**(wanted | {"model_attempts": 2, "answer_model": "qwen3"} | settings))


@pytest.mark.parametrize(
    ("form", "first"),
    [
        ("text", Message(f'{FIRST}\n<gaps>\n<gap symbol="charge" path="shop/payment.py"/>\n</gaps>')),
        ("tools", Message(FIRST, tools=[("fetch", GAP)])),
    ],
)
async def test_two_passes_and_the_same_again(model: OpenAiServer, form: str, first: Message) -> None:
    """Gaps are read from text and from tools, the answer says what wrote it, and it can be made again from its log."""
    model.enqueue(first, SECOND)
    async with asking(model, model_gaps=form) as suite:
        events = await suite.ask()
        answer = events[-1].completed.answer
        asked = len(model.requests)
        response = await suite.replay(answer.answer_id)

    assert text_of(events, 1) == FIRST.replace("E1", "1")
    assert answer.text == SECOND.text.strip().replace("E", "")
    assert [each.gap.symbol for each in answer.gaps] == ["charge"]
    assert (answer.engine, answer.model, answer.metadata.passes) == ("openai", "qwen3", 2)
    assert answer.metadata.usage.cache_read_tokens == 7
    assert (list(response.differences), response.stopped, len(model.requests)) == ([], "", asked)


async def test_an_answer_that_breaks_off_begins_anew(model: OpenAiServer) -> None:
    """What came of the first attempt is void; the answer is the second one's."""
    model.enqueue(stalled_after("Half of", OPENAI), Message("It is so [E1]."))
    async with asking(model, model_idle_seconds=0.3) as suite:
        answer = await suite.answer()

    assert (answer.text, answer.engine) == ("It is so [1].", "openai")


async def test_evidence_answers_where_the_endpoint_does_not(model: OpenAiServer) -> None:
    """An endpoint without that model is told of, and the answer comes from evidence."""
    model.enqueue(Failure(404, message="model 'qwen3' not found"))
    async with asking(model, model_attempts=1) as suite:
        events = await suite.ask()

    answer = events[-1].completed.answer
    assert answer.engine == "evidence"
    assert "warning" in kinds(events)
    assert answer.metadata.stop_reason != pb.STOP_REASON_UNSPECIFIED
