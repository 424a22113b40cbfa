"""Lone surrogates and NUL, as a model may send them: what no wire and no store takes never gets in."""

from __future__ import annotations

import itertools

import pytest

from common.core.clock import SystemClock
from common.model.config import ModelConfig, RoleModel
from common.model.endpoint import open_endpoint
from common.model.texts import StreamSanitizer, sanitize, sanitize_json
from common.model.values import Event, Finished, ModelRequest, ModelRole, OutputSchema, Structured, TextDelta, Turn
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer

FIRST, SECOND = "\ud83d", "\ude00"
WHOLE = "\N{GRINNING FACE}"
QUESTION = ModelRequest(ModelRole.ANSWER, (Turn.user("What is it?"),))
SCHEMA = OutputSchema("judgement", "Whether it suffices.", {"reasoning": {"type": "string"}}, ("reasoning",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, é, 日本 " + WHOLE, "plain, é, 日本 " + WHOLE),
        (f"a {FIRST}{SECOND} b", f"a {WHOLE} b"),
        (f"a {FIRST} b {SECOND}", "a \ufffd b \ufffd"),
        (f"{SECOND}{FIRST}", "\ufffd\ufffd"),
        ("a\0b", "a\ufffdb"),
        (f"{FIRST}\0{SECOND}{WHOLE}", f"\ufffd\ufffd\ufffd{WHOLE}"),
    ],
)
def test_lone_surrogates_are_replaced_and_pairs_are_joined(text: str, expected: str) -> None:
    """What is a character stays as it is."""
    assert sanitize(text) == expected
    assert sanitize_json({f"k{FIRST}": [text, 1, None, {"a": text}]}) == {
        "k\ufffd": [expected, 1, None, {"a": expected}]
    }


def test_wherever_text_is_cut_the_pieces_are_the_whole() -> None:
    """Each piece is valid by itself, and a surrogate waits for its pair no longer than for the next piece."""
    text = f"ab{FIRST}{SECOND}{FIRST}\0{SECOND}c{FIRST}{FIRST}{SECOND}{FIRST}"
    for first, second in itertools.combinations_with_replacement(range(len(text) + 1), 2):
        pieces = StreamSanitizer()
        shown = [pieces.take(each) for each in (text[:first], text[first:second], text[second:])]
        shown.append(pieces.end())

        assert "".join(shown) == sanitize(text)
        assert "".join(shown).encode()


async def asked(reply: replies.Reply, schema: OutputSchema | None = None) -> list[Event]:
    """Let a model answer."""
    with AnthropicServer() as server:
        server.enqueue(reply)
        endpoint = open_endpoint(ModelConfig({}, base_url=server.base_url), SystemClock())
        try:
            return [event async for event in endpoint.ask(QUESTION, RoleModel("big"), schema, seconds=30)]
        finally:
            await endpoint.close()


async def test_a_character_whose_halves_come_in_two_deltas_is_whole() -> None:
    """It comes with the second, and one that is left without the other is replaced at the end."""
    *texts, end = await asked(Message(pieces=("a ", FIRST, f"{SECOND} b\0", f"c {FIRST}")))

    assert [each.text for each in texts if isinstance(each, TextDelta)] == ["a ", f"{WHOLE} b\ufffd", "c ", "\ufffd"]
    assert isinstance(end, Finished)


async def test_a_structured_answer_has_no_halves_either() -> None:
    """Neither raw nor escaped ones."""
    events = await asked(Message(tool=("judgement", {"reasoning": f"so {FIRST} \0 {FIRST}{SECOND}"})), SCHEMA)

    [value] = [each.value for each in events if isinstance(each, Structured)]
    assert value == {"reasoning": f"so \ufffd \ufffd {WHOLE}"}
