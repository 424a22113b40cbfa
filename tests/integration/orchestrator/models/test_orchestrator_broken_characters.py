"""A model that writes lone surrogates and NUL: the answer is streamed, kept, and read again."""

from __future__ import annotations

from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import orchestrating, text_of

FIRST, SECOND = "\ud83d", "\ude00"
PIECES = (
    f"`checkout()` calls `charge()` [E1] {FIRST}",
    f"{SECOND}, not \ud800 or \0.\n<gaps>\n<gap ",
    f'symbol="ch\0{FIRST}">how {FIRST}</gap>\n</gaps>',
)


async def test_an_answer_with_characters_that_are_none_is_an_answer(model: AnthropicServer) -> None:
    """One character that came in two deltas is there; what is no character is marked as such."""
    model.enqueue(Message(pieces=PIECES), Message(pieces=PIECES))
    async with orchestrating(engine="anthropic", model_url=model.base_url, api_key="sk-test") as suite:
        events = await suite.ask()
        kept = await suite.stub.GetAnswer(pb.GetAnswerRequest(answer_id=events[0].answer_id))

    answer = events[-1].completed.answer
    assert text_of(events, 1) == "`checkout()` calls `charge()` [1] \N{GRINNING FACE}, not \ufffd or \ufffd."
    assert not answer.degraded
    assert kept.text == answer.text
    assert [each.gap.description for each in answer.gaps] == ["how \ufffd"]
