"""The form in which models answer, read while it streams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.answer_format import AnswerParser
from orchestrator.domain.evidence import Gap

WHOLE = (
    "`checkout()` charges the customer [E1]; a < b, and List<Gap> is a type.\n\n```python\nx = a <b\n```\n\n"
    '<gaps>\n<gap symbol="charge" path="shop/payment.py">how money is taken</gap>\n'
    "<gap symbol='authorise'>when it fails</gap>\n</gaps>\n"
)
TEXT = WHOLE.partition("\n\n<gaps>")[0]
GAPS = (
    Gap(symbol="charge", path="shop/payment.py", description="how money is taken"),
    Gap(symbol="authorise", description="when it fails"),
)


def parsed(*chunks: str) -> tuple[str, tuple[Gap, ...]]:
    """Return the text and gaps of a stream."""
    parser = AnswerParser()
    shown = "".join(parser.feed(chunk) for chunk in chunks)
    rest, gaps = parser.finish()
    return shown + rest, gaps


def test_splits_text_and_gaps() -> None:
    """Text stays as written, the section becomes gaps."""
    assert parsed(WHOLE) == (TEXT, GAPS)


@pytest.mark.parametrize("at", range(1, len(WHOLE)))
def test_a_split_anywhere_changes_nothing(at: int) -> None:
    """However the stream is cut in two, the result is the same, and no part shown holds a part of a tag."""
    parser = AnswerParser()
    first = parser.feed(WHOLE[:at])

    assert not first.endswith("<")
    assert "<ga" not in first
    assert first + parser.feed(WHOLE[at:]) + parser.finish()[0] == TEXT


def test_one_letter_at_a_time_changes_nothing() -> None:
    """The slowest stream gives the same."""
    assert parsed(*WHOLE) == (TEXT, GAPS)


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        ("Done.\n<gaps>\n<gap symbol='x'>y", "Done."),
        ("Done.<gaps", "Done."),
        ("Done.</gaps>", "Done."),
        ("Done.\n< GAPS >\n<gap>y</gap>", "Done."),
        ("Done.\n<gap symbol='x'>y</gap>", "Done."),
        ("Done.\n```xml\n<gaps></gaps>\n```\n", "Done."),
        ("Code:\n```\nx\n```\n\n<gaps></gaps>", "Code:\n```\nx\n```"),
        ("<gaps></gaps>\n\nDone.", "\n\nDone."),
        ("a < b", "a < b"),
        ("a <gauge> b", "a <gauge> b"),
        ("Map<Gaps> b", "Map<Gaps> b"),
        ("ends with <", "ends with <"),
    ],
)
def test_tags_never_reach_the_caller(stream: str, text: str) -> None:
    """Unclosed, malformed, misplaced or wrapped sections are taken out; what only looks alike stays."""
    assert parsed(*stream)[0] == text
    assert parsed(stream)[0] == text


PARTS = ("<", ">", "/", "gaps", "gap", " ", "\n", "x", "`", "```", "<gaps>", "</gaps>")


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_no_stream_leaks_a_tag(parts: list[str]) -> None:
    """Whatever comes, no opening or closing tag of ours is shown, and the pieces do not depend on the cuts."""
    stream = "".join(parts)
    text, gaps = parsed(*stream)

    assert "<gaps>" not in text
    assert "</gaps>" not in text
    assert (text, gaps) == parsed(stream)


def test_a_section_of_bullets_is_understood() -> None:
    """A model that forgets the inner tags is still heard."""
    _, gaps = parsed("x\n<gaps>\n- how `charge()` works\n- what is in `shop/bank.py`\n</gaps>")

    assert [(gap.symbol, gap.path) for gap in gaps] == [("charge", ""), ("", "shop/bank.py")]
