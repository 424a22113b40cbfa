"""How far lines that are asked for are widened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.evidence import LineRange
from retriever.domain.packing.growth import statement, widened

_SHORT = [*(["def a():"] + ["    x"] * 19), "", "", *(["def b():"] + ["    y"] * 9)]
_LONG = ["def long():", *(["    if x:", "        y", "        z", ""] * 30)]
_WHOLE = LineRange(1, len(_LONG))


def _of(first: int, last: int, wholes: list[LineRange], text: list[str]) -> tuple[int, int]:
    found = widened(LineRange(first, last), wholes, text)
    return found.start_line, found.end_line


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (5, 8, (1, 20)),
        (5, 18, (1, 32)),
        (5, 25, (1, 32)),
        (26, 27, (23, 32)),
        (31, 31, (23, 32)),
    ],
)
def test_lines_of_a_short_definition_are_widened_to_it(first: int, last: int, expected: tuple[int, int]) -> None:
    """And to the next one where it ends, or begins, close by: who does not see the file misses by a few lines."""
    assert _of(first, last, [LineRange(1, 20), LineRange(23, 32)], _SHORT) == expected


def test_lines_of_a_long_definition_are_widened_to_whole_statements() -> None:
    """About twelve lines each way, from the head of one to the end of another, and never out of the definition."""
    assert _of(60, 61, [_WHOLE], _LONG) == (46, 72)
    assert _of(3, 4, [LineRange(1, 90), LineRange(93, 93)], _LONG)[0] == 1
    assert _of(80, 88, [LineRange(1, 90)], _LONG)[1] == 90


def test_a_statement_that_begins_near_is_shown_to_its_end() -> None:
    """With the few lines behind it, if it is not long itself; a long one is left out."""
    before, rest = ["def long():", *["    x = 1"] * 59], ["        y = 2"] * 20
    text = [*before, "    if x:", *rest, "    }", "    return x", "", *["    z = 3"] * 40]
    tail, longer = [*before, "    if x:", *rest, "    return x"], [*before, "    if x:", *rest * 3, "    return x"]

    assert _of(40, 49, [LineRange(1, 124)], text)[1] == 82
    assert _of(40, 49, [LineRange(1, 82)], tail)[1] == 82
    assert _of(40, 49, [LineRange(1, 122)], longer)[1] == 60


def test_another_definition_is_not_cut_into() -> None:
    """One that begins near and is long ends what is shown before it."""
    text = ["x = 1"] * 10 + [""] + ["def long():"] + ["    y"] * 80

    assert _of(5, 6, [LineRange(12, 92)], text) == (1, 10)


@given(st.data())
def test_what_is_asked_for_is_always_part_of_it(data: st.DataObject) -> None:
    """Whatever the file and its definitions are, even where these reach beyond its end."""
    text = data.draw(st.lists(st.sampled_from(["", "x", "  y", "    )"]), min_size=1, max_size=120))
    lines = st.integers(1, len(text))
    pairs = st.tuples(lines, lines).map(sorted)
    first, last = data.draw(pairs)
    wholes = [LineRange(*each) for each in data.draw(st.lists(pairs, max_size=5))]

    found = widened(LineRange(first, last), wholes, text)
    around = statement(first, text)

    assert 1 <= found.start_line <= first <= last <= found.end_line <= len(text)
    assert 1 <= around.start_line <= first <= around.end_line <= len(text)


def test_a_statement_has_the_lines_that_continue_it() -> None:
    """By their depth, with the one that closes it; a blank line ends it."""
    text = ["a = 1", "b = call(", "    one,", "    two,", ")", "c = 2", "", "d = 3"]

    assert statement(2, text) == LineRange(1, 5)
    assert statement(8, text) == LineRange(8, 8)
