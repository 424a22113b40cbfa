"""What a session and its graph bring to a model's prompt, and how sure an answer is by what it lacks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import Orchestrating, model_at, orchestrating
from tests.fakes.peers import FakeRetriever, source

WHOLE = "`checkout()` calls `charge()` [E1], which calls `authorise()` [E2]."


def asking(model: AnthropicServer, retriever: FakeRetriever | None = None, **settings: Any) -> Any:
    """Run an orchestrator whose engine asks this model."""
    return orchestrating(
        retriever or FakeRetriever([source("checkout"), source("charge")]), **(model_at(model) | settings)
    )


def said_to(model: AnthropicServer, number: int) -> str:
    """Return all that a request tells the model."""
    return json.dumps(model.requests[number].json)


@pytest.mark.parametrize(
    ("text", "level", "reason"),
    [
        (WHOLE, pb.CONFIDENCE_HIGH, "nothing is called not shown"),
        (f"{WHOLE} The test of it is not shown.", pb.CONFIDENCE_MEDIUM, "says of 1 thing: not shown"),
        (f"{WHOLE} `checkout()` raises `Bank.Vanished`.", pb.CONFIDENCE_MEDIUM, "the index contradicts 1 claim"),
        ("`checkout()` calls `charge()` [E1].", pb.CONFIDENCE_MEDIUM, "it rests on a single place"),
        ("It calls something.", pb.CONFIDENCE_LOW, "no place in the source supports"),
    ],
)
async def test_confidence_follows_from_what_is_lacking(
    model: AnthropicServer, text: str, level: pb.Confidence.ValueType, reason: str
) -> None:
    """The answer's own words for it, what the index says against it, and the places that it rests on."""
    model.fallback = lambda _: Message(text)
    async with asking(model, max_passes=1) as suite:
        answer = await suite.answer()

    assert answer.confidence == level
    assert reason in answer.confidence_reason


async def test_a_model_is_told_what_its_session_could_not_find(model: AnthropicServer, modelled: Orchestrating) -> None:
    """So that it does not ask again; another session's model is not."""
    model.enqueue(Message("<gaps><gap symbol='Bank.vanish'/></gaps>"))
    model.fallback = lambda _: Message(WHOLE)
    session = (await modelled.answer()).session_id
    asked = len(model.requests)
    await modelled.answer("Who vanishes at the bank?", session_id=session)
    await modelled.answer("Who vanishes at the bank?")

    assert "Bank.vanish" in said_to(model, asked)
    assert "Bank.vanish" not in said_to(model, asked + 1)


async def test_the_graph_of_what_a_session_recalls_is_there_again(model: AnthropicServer) -> None:
    """The next judge of the session sees the triples of recalled evidence beside those of what is new."""
    enough = Message(tool=("judgement", {"sufficient": True, "reasoning": "all is shown", "sub_question": ""}))
    model.enqueue(enough, Message(WHOLE), enough, Message(WHOLE))
    async with asking(model, FakeRetriever([source("checkout")]), judge="model", strategy="sufficiency") as suite:
        session = (await suite.answer()).session_id
        suite.retriever.first = [source("charge")]
        answer = await suite.answer("How does checkout hand the order to the bank?", session_id=session)

    triples = {(each.subject, each.predicate, each.object) for each in answer.sufficiency.triples}
    assert answer.metadata.cache_used
    assert {("checkout", "calls", "charge"), ("charge", "calls", "authorise")} <= triples
    assert "checkout calls charge" in said_to(model, 2)
