"""The form in which models answer, read while it streams."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from common.core.contract.evidence import Gap, GapAspect
from orchestrator.domain.answers.orders import Unneeded
from orchestrator.domain.model_text.answer_format import AnswerParser
from orchestrator.domain.model_text.gap_section import GapsRead, read_json
from orchestrator.domain.model_text.markdown_code import Kind, MarkdownLexer

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
JSX = "It draws `<Gap size={4} />`:\n\n```tsx\n<Row>\n  <Gap size={4} />\n  <gaps>\n</Row>\n```\n\nand no more [E1]."


def parsed(*chunks: str) -> tuple[str, tuple[Gap, ...]]:
    """Return the text and gaps of a stream."""
    parser = AnswerParser()
    shown = "".join(parser.feed(chunk) for chunk in chunks)
    return shown + parser.finish(), parser.gaps


def outcome(*chunks: str) -> tuple[str, tuple[Gap, ...], tuple[str, ...]]:
    """Return all that a parser says of a stream."""
    parser = AnswerParser(max_gaps=3)
    shown = "".join(parser.feed(chunk) for chunk in chunks)
    return shown + parser.finish(), parser.gaps, parser.unread


def outside_of_code(text: str) -> str:
    """Return a text without what is code in it."""
    lexer, kept = MarkdownLexer(), ""
    lexer.feed(text)
    while segment := lexer.read(is_end=True):
        kept += lexer.take(segment) if segment.kind is Kind.TEXT else " " * len(lexer.take(segment))
    return kept


def test_splits_text_and_gaps() -> None:
    """Text stays as written, the section becomes gaps."""
    assert parsed(WHOLE) == (TEXT, GAPS)


@pytest.mark.parametrize(
    ("written", "dropped"),
    [
        ('<drop labels="E2 E5-E7"/>', (Unneeded(2), Unneeded(5), Unneeded(6), Unneeded(7))),
        ("<drop>E3, E4</drop>", (Unneeded(3), Unneeded(4))),
        ("<drop E9/>", (Unneeded(9),)),
        ('<drop labels="2, 5 - 6"/>', (Unneeded(2), Unneeded(5), Unneeded(6))),
        ('<drop labels="none"/>', ()),
        ('<drop labels="E1-E9999"/>', ()),
        ('<drop labels="E5:40-95"/>', (Unneeded(5, 40, 95),)),
        ('<drop labels="E5:40-95, 120-130 E2"/>', (Unneeded(5, 40, 95), Unneeded(5, 120, 130), Unneeded(2))),
        ('<drop labels="[E5, lines 7-8] E2"/>', (Unneeded(5, 7, 8), Unneeded(2))),
        ('<drop labels="E5:Client.send"/>', ()),
    ],
)
def test_pieces_that_are_not_needed_are_told_apart_from_gaps(written: str, dropped: tuple[Unneeded, ...]) -> None:
    """In any form and place of a section; in JSON as a field."""
    parser = AnswerParser()
    parser.feed(f"<gaps>\n{written}\n<gap symbol='charge'/>\n</gaps>")
    parser.finish()

    assert (parser.dropped, parser.gaps, parser.unread) == (dropped, (Gap(symbol="charge"),), ())
    assert read_json('{"symbol": "charge", "drop": "E2 E4"}') == GapsRead(
        (Gap(symbol="charge"),), dropped=(Unneeded(2), Unneeded(4))
    )
    assert read_json('[{"drop": ["E2", "E3:5-9"]}]') == GapsRead(dropped=(Unneeded(2), Unneeded(3, 5, 9)))


@pytest.mark.parametrize("at", range(1, len(WHOLE)))
def test_a_split_anywhere_changes_nothing(at: int) -> None:
    """However the stream is cut in two, the result is the same, and no part shown holds a part of a tag."""
    parser = AnswerParser()
    first = parser.feed(WHOLE[:at])

    assert not outside_of_code(first).endswith("<")
    assert "<ga" not in first
    assert first + parser.feed(WHOLE[at:]) + parser.finish() == TEXT


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
        ("Done.\n<gap symbol='x'/>\n<gap symbol='y'/>", "Done."),
        ("Done.\n<gaps><gaps><gap symbol='x'/></gaps></gaps>\n\nMore.", "Done.\n\nMore."),
        ("Done.\n```xml\n<gaps></gaps>\n```\n", "Done."),
        ("Done.\n```xml\n<gaps>\n<gap symbol='x'/>\n</gaps>\n```\n", "Done."),
        ('Done.\n```json\n{"gaps": [{"symbol": "x"}]}\n```', "Done."),
        ('Done.\n\n{"gaps": [{"symbol": "x"}]}\n', "Done."),
        ("Open:\n```py\nx = 1\n\n<gaps>\n<gap symbol='x'/>\n</gaps>", "Open:\n```py\nx = 1"),
        ("Code:\n```\nx\n```\n\n<gaps></gaps>", "Code:\n```\nx\n```"),
        ("<gaps></gaps>\n\nDone.", "Done."),
        ("One.\n<gaps></gaps>\n\n    - Done.", "One.\n\n    - Done."),
        ("a < b", "a < b"),
        ("a <gauge> b", "a <gauge> b"),
        ("Map<Gaps> b", "Map<Gaps> b"),
        ("ends with <", "ends with <"),
        ("It has a <Gap size={4} /> there.", "It has a <Gap size={4} /> there."),
        ("It has a <gap size={4} /> there.", "It has a <gap size={4} /> there."),
        ("The option <gaps> is read\nwith care.", "The option\n\nis read\nwith care."),
        ('A `{"gaps": 1}` and\n{"gaps": 1} and more.', 'A `{"gaps": 1}` and\n{"gaps": 1} and more.'),
        (JSX, JSX),
        ("Ask so:\n```xml\n<gaps>\n<gap symbol='x'/>\n</gaps>\n```\nThat is all.",) * 2,
        ("A ``<gaps>`x`</gaps>`` is quoted.",) * 2,
        ("A lone ` tick and <gaps><gap symbol='x'/></gaps>", "A lone ` tick and"),
    ],
)
def test_tags_never_reach_the_caller(stream: str, text: str) -> None:
    """Unclosed, malformed, misplaced or wrapped sections are taken out; what is quoted, or looks alike, stays."""
    assert parsed(*stream)[0] == text
    assert parsed(stream)[0] == text


def section(*lines: str) -> str:
    """Return an answer that ends with a section."""
    return "\n".join(("Said.", "<gaps>", *lines, "</gaps>"))


@pytest.mark.parametrize(
    ("lines", "gaps"),
    [
        (['<gap symbol="TypeAdapter<T>.read">how?</gap>'], [Gap(symbol="TypeAdapter.read", description="how?")]),
        (["<gap symbol=TypeAdapter<K, V>.read path=a/b.java/>"], [Gap(symbol="TypeAdapter.read", path="a/b.java")]),
        (["<gap symbol='Vec&lt;T&gt;::push'/>"], [Gap(symbol="Vec::push")]),
        (["<gap name='charge()' file='shop/bank.py'/>"], [Gap(symbol="charge", path="shop/bank.py")]),
        (["<gap name=shop/bank.py lines=10-20>x</gap>"], [Gap("", "x", "", "shop/bank.py", 10, 20)]),
        (['<gap path="shop/bank.py:10-20" />'], [Gap(path="shop/bank.py", start_line=10, end_line=20)]),
        (['<gap path="shop/bank.py#L10-L20" />'], [Gap(path="shop/bank.py", start_line=10, end_line=20)]),
        (['<gap path="a/b.py" line="7"/>'], [Gap(path="a/b.py", start_line=7, end_line=7)]),
        (['<gap path="a/b.py" start_line="7" end_line="9"/>'], [Gap(path="a/b.py", start_line=7, end_line=9)]),
        (
            ['<gap path="a/b.py" lines="1-2, 8-9"/>'],
            [Gap(path="a/b.py", start_line=1, end_line=2), Gap(path="a/b.py", start_line=8, end_line=9)],
        ),
        (
            ["<gap users='check_array'>who?</gap>"],
            [Gap(symbol="check_array", aspect=GapAspect.USERS, description="who?")],
        ),
        (["<gap symbol='Store' kind='implementers'/>"], [Gap(symbol="Store", aspect=GapAspect.IMPLEMENTERS)]),
        (["<gap symbol='Store' tests='true'/>"], [Gap(symbol="Store", aspect=GapAspect.TESTS)]),
        (["<gap symbol='Store' tests/>"], [Gap(symbol="Store", aspect=GapAspect.TESTS)]),
        (["<gap text='isn\\'t in <any> \"toctree\"'/>"], [Gap(text='isn\\\'t in <any> "toctree"')]),
        (['<gap text="a "b" c" path="d/e.py"/>'], [Gap(text='a "b" c', path="d/e.py")]),
        (['<gap symbol="a" text="</gaps>"/>'], [Gap(symbol="a", text="</gaps>")]),
        (["<gap symbol={'charge'}/>"], [Gap(symbol="charge")]),
        (["<gap symbol=“charge”/>"], [Gap(symbol="charge")]),
        (["<gap symbol='charge, Bank.ask(x, y)'/>"], [Gap(symbol="charge"), Gap(symbol="Bank.ask")]),
        (["<gap symbol='shop/bank.py::Bank.ask'/>"], [Gap(symbol="Bank.ask", path="shop/bank.py")]),
        (["<gap symbol='shop/bank.py'/>"], [Gap(path="shop/bank.py")]),
        (["<gap symbol='class Bank'/>"], [Gap(symbol="Bank")]),
        (["<gap symbol='operator<'/>"], [Gap(symbol="operator<")]),
        (["<gap charge>"], [Gap(symbol="charge")]),
        (["<gap symbol='a'> <gap symbol='b'/> </gap>"], [Gap(symbol="a"), Gap(symbol="b")]),
        (["<gap symbol='a'>one", "<gap symbol='b'>two"], [Gap(symbol="a", description="one"), Gap("", "two", "b")]),
        (["<gap symbol='a' <gap symbol='b'/>"], [Gap(symbol="a"), Gap(symbol="b")]),
        (["<gap symbol='a'/> - why it waits"], [Gap(symbol="a", description="why it waits")]),
        (
            ["<gap><symbol>Map<K>.get</symbol><file>a/b.java</file><lines>3-9</lines>how</gap>"],
            [Gap("", "how", "Map.get", "a/b.java", 3, 9)],
        ),
        (["<gap><location path='a/b.py' lines='3-9'/>how</gap>"], [Gap("", "how", "", "a/b.py", 3, 9)]),
        (
            ["<symbol>charge</symbol>", "<users>ask</users>"],
            [Gap(symbol="charge"), Gap(symbol="ask", aspect=GapAspect.USERS)],
        ),
        (["<symbol name='charge'>how?</symbol>"], [Gap(symbol="charge", description="how?")]),
        (
            ['[{"symbol": "charge", "path": "a/b.py"}, "`ask()`"]'],
            [Gap(symbol="charge", path="a/b.py"), Gap("", "", "ask")],
        ),
        (['{"gaps": [{"file": "a/b.py", "lines": [10, 20]}]}'], [Gap(path="a/b.py", start_line=10, end_line=20)]),
        (
            ['{"users": "ask"}', '{"text": "no money"}'],
            [Gap(symbol="ask", aspect=GapAspect.USERS), Gap(text="no money")],
        ),
        (["```json", '[{"symbol": "charge"}]', "```"], [Gap(symbol="charge")]),
        (
            ["- how `charge()` works", "- what is in `shop/bank.py`"],
            [Gap("", "how `charge()` works", "charge"), Gap("", "what is in `shop/bank.py`", "", "shop/bank.py")],
        ),
        (
            ["1. users of `ask`", "2) `a/b.py:4-5`"],
            [Gap("", "users of `ask`", "ask", aspect=GapAspect.USERS), Gap("", "", "", "a/b.py", 4, 5)],
        ),
        (
            ["- symbol: charge", "  path: shop/bank.py", "  why: how it fails"],
            [Gap("", "how it fails", "charge", "shop/bank.py")],
        ),
        (["- **symbol**: charge, lines: 3-4, file: a/b.py"], [Gap("", "", "charge", "a/b.py", 3, 4)]),
        (["how money is taken", "", "charge()"], [Gap("", "how money is taken"), Gap("", "", "charge")]),
        (["None."], []),
        ([], []),
    ],
)
def test_a_section_is_read_in_any_form(lines: list[str], gaps: list[Gap]) -> None:
    """Elements, JSON, lists and sentences say the same, however the stream is cut, and nothing of them is unread."""
    stream = section(*lines)

    assert outcome(stream) == ("Said.", tuple(gaps), ())
    assert outcome(*stream) == ("Said.", tuple(gaps), ())


@pytest.mark.parametrize(
    ("lines", "unread"),
    [
        (["<gap size='4'/>", "<gap symbol='a'/>"], "<gap size='4'/>"),
        (['[{"colour": "red"}]'], '{"colour": "red"}'),
        (["<gap symbol='a'/>", "", "And something else."], "And something else."),
        (["- symbol:"], "symbol:"),
        (["<gap/>" + "<gap symbol='a'/><gap symbol='b'/><gap symbol='c'/><gap symbol='d'/>"], "1 more than 3"),
    ],
)
def test_what_cannot_be_read_is_told(lines: list[str], unread: str) -> None:
    """Nothing that a model asked for is lost without a word."""
    assert unread in outcome(section(*lines))[2]


def test_text_behind_a_section_without_an_end_is_shown() -> None:
    """A tag that nothing closes takes no part of the answer away."""
    assert parsed("It is so.\n<gaps>\n<gap symbol='a'/>\n\nAnd it is thus, too.") == (
        "It is so.\n\nAnd it is thus, too.",
        (Gap(symbol="a"),),
    )


PARTS = (
    *("<", ">", "/", "gaps", "gap", " ", "\n", "x", "`", "```", "~~~", "<gaps>", "</gaps>", "<gap symbol=", '"', "'"),
    *("{", '"gaps"', ": [", "]}", "- ", "\n\n", "</gap>", "=", "E1", "<Gap", "\n```", "/>", "<x>"),
)


@given(st.lists(st.sampled_from(PARTS), max_size=14), st.integers(1, 9))
@example(["<gaps>", "<gap symbol=", '"', "x", "`", "</gaps>", "\n", "x"], 1)
def test_no_stream_leaks_a_tag(parts: list[str], size: int) -> None:
    """Whatever comes, no tag of ours is shown outside of code, and nothing depends on where the stream is cut."""
    stream = "".join(parts)
    whole = outcome(stream)
    text = outside_of_code(whole[0])

    assert "<gaps>" not in text.replace("x<gaps>", "")
    assert "</gaps>" not in text
    assert outcome(*stream) == whole
    assert outcome(*(stream[at : at + size] for at in range(0, len(stream), size))) == whole


@given(st.text("ab <>/=`~{}[]\"'\n-*1.gpsE", max_size=60), st.integers(1, 9))
def test_text_without_a_section_is_shown_as_it_stands(text: str, size: int) -> None:
    """Byte for byte, but for blanks at the end, whatever marks it has."""
    shown, gaps, unread = outcome(*(text[at : at + size] for at in range(0, len(text), size)))

    if "ga" not in text and re.search(r"<[ /\n]*g\s*$", text) is None:
        assert (shown, gaps, unread) == (text.rstrip(), (), ())


@given(st.text("ab <>`\n-", max_size=30), st.text("ab <>\n-", max_size=30))
def test_what_stands_around_a_section_stays(before: str, after: str) -> None:
    """A section takes nothing of its surroundings but blanks."""
    shown, gaps = parsed(*f"{before}\n\n<gaps><gap symbol='x'/></gaps>\n\n{after}")

    if "`" not in before:
        parts = (before.rstrip(), after.strip())
        assert gaps == (Gap(symbol="x"),)
        assert shown.split() == " ".join(parts).split()
        assert shown.startswith(parts[0])
