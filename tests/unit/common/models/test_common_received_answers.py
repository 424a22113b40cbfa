"""What is taken of the events of an answer, and what is refused: bounds, counts, and the end."""

from __future__ import annotations

import pytest

from common.core.contract.usage import TokenUsage
from common.model.config import RoleModel
from common.model.failures import Cause, ModelFailed
from common.model.received import ReceivedAnswer
from common.model.values import Finished, OutputSchema, Structured, TextDelta, ToolCall

MODEL = RoleModel("big", input_usd_per_million=1_000_000, output_usd_per_million=2_000_000)
SCHEMA = OutputSchema("classify", "The mode.", {"mode": {"type": "string"}}, ("mode",))
MOST = 128
"""Characters of an answer of one token."""


def begun(schema: OutputSchema | None = None, max_tokens: int = 1) -> ReceivedAnswer:
    """Return an answer that has begun."""
    answer = ReceivedAnswer(MODEL, schema, max_tokens)
    answer.begin("big-1")
    return answer


def test_text_and_arguments_share_one_bound() -> None:
    """Exactly as many characters as were asked for are taken, and not one more."""
    answer = begun()
    answer.text("x" * (MOST - 2))
    answer.call(0, "fetch", "{}")
    with pytest.raises(ValueError, match="more than was asked for"):
        answer.text("x")


@pytest.mark.parametrize(("count", "is_taken"), [(0, True), (100_000_000, True), (100_000_001, False), (-1, False)])
def test_counts_have_bounds(count: int, is_taken: bool) -> None:
    """No count is negative, or larger than any contract can carry."""
    answer = begun()
    if is_taken:
        answer.count({"input_tokens": count})
    else:
        with pytest.raises(ValueError, match="no count"):
            answer.count({"input_tokens": count})


def test_later_counts_are_totals_and_those_left_out_stay() -> None:
    """Each of the four is kept by itself; the price is that of the last totals."""
    answer = begun()
    answer.count({"input_tokens": 5, "output_tokens": 1, "cache_read_tokens": 10, "cache_write_tokens": 4})
    answer.count({"input_tokens": None, "output_tokens": 7})
    answer.finish("end_turn")
    answer.ended = True

    assert list(answer.end()) == [Finished("big-1", "end_turn", TokenUsage(5, 7, 10, 4), 5 + 1 + 5 + 14)]


def test_parts_come_in_order_and_a_refusal_stays() -> None:
    """The rest of the text comes before the calls, and the calls in the order of their beginning."""
    answer = begun(max_tokens=10)
    assert answer.text("a\ud83d") == TextDelta("a")
    for index, arguments in ((4, '{"a":'), (2, "{}"), (4, "1}")):
        answer.call(index, "fetch" if arguments != "1}" else None, arguments)
    answer.call(3, "look")
    answer.finish("refusal")
    answer.finish("stop")
    answer.ended = True

    text, *calls, finished = answer.end()
    assert text == TextDelta("\ufffd")
    assert calls == [ToolCall("fetch", '{"a":1}'), ToolCall("fetch", "{}"), ToolCall("look", "{}")]
    assert isinstance(finished, Finished)
    assert finished.stop_reason == "refusal"


@pytest.mark.parametrize("as_call", [False, True])
def test_a_structured_answer_is_a_call_or_text(as_call: bool) -> None:
    """Text is kept back for it; what is not of its form is unusable, which is the model's fault."""
    answers = [begun(SCHEMA, 1000) for _ in range(3)]
    for answer, json in zip(answers, ('{"mode": "x"}', '{"other": 1}', "[" * 100_000), strict=True):
        if as_call:
            answer.text("I call it.")
            answer.call(0, "classify", json)
        else:
            assert answer.text(json) is None
        answer.ended = True

    assert next(iter(answers[0].end())) == Structured({"mode": "x"})
    for answer in answers[1:]:
        with pytest.raises(ModelFailed, match="the form of classify") as raised:
            answer.end()
        assert raised.value.cause is Cause.UNUSABLE


def test_what_did_not_begin_or_end_is_no_answer() -> None:
    """Nothing at all is not the protocol; a beginning alone is an interruption."""
    causes = []
    for answer in (ReceivedAnswer(MODEL, None, 1), begun()):
        with pytest.raises(ModelFailed) as raised:
            answer.end()
        causes.append(raised.value.cause)

    assert causes == [Cause.MALFORMED, Cause.INTERRUPTED]
