"""Quotations of code: what is left out of them, and where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.domain.claims import ends_with, names_in, pieces, quoted_at

_TEXT = """\
def release(number):
    items = pop(number)
    for sku in items:
        put(sku)
    return items


def reserve(items):
    return items
"""
_CODE = _TEXT.split("\n")


@pytest.mark.parametrize(
    ("quoted", "line"),
    [
        ("for sku in items:\n  put( sku )", None),
        ("for sku in items:\n  put(sku)", 3),
        ("def release(number):\n    ...\n    return items", 1),
        ("items = pop(number)\n... (2 lines cut)\n    return items", 2),
        ("put(sku)\n    # ...\ndef reserve(items):", 4),
        ("return items\n    // …\n    return items", 5),
        ("return items\n...\nput(sku)", None),
    ],
)
def test_a_quotation_may_leave_lines_out_but_not_change_their_order(quoted: str, line: int | None) -> None:
    """Each piece stands in the code as it is quoted, after the one before it, and the first one at the place."""
    at = quoted_at(_CODE, pieces(quoted))

    assert (at + 1 if at >= 0 else None) == line


@pytest.mark.parametrize(
    ("quoted", "line"),
    [
        ("limit = 5", None),
        ("limit = 50", 2),
        ("ratio = 1", None),
        ("ratio = 1.5;", 3),
        ("put(box)", 4),
        ("at = 4", 1),
        ("mat = 4", None),
        ("mat = 40", None),
    ],
)
def test_part_of_a_word_or_number_is_not_what_stands_there(quoted: str, line: int | None) -> None:
    """A quotation begins and ends where words do; a place where it is only part of one does not hide a later one."""
    lines = ["format = 40; at = 4", "limit = 50", "ratio = 1.5", "output(box); put(box); input(box)"]

    at = quoted_at(lines, pieces(quoted))

    assert (at + 1 if at >= 0 else None) == line


@given(
    st.lists(st.text("ab 1.=(", max_size=8), min_size=1, max_size=8), st.lists(st.booleans(), min_size=8, max_size=8)
)
def test_lines_hold_what_is_quoted_of_them(lines: list[str], kept: list[bool]) -> None:
    """Whole lines, however many are left out between them, are found no earlier than the first of them stands."""
    shown = [line if keep else "..." for line, keep in zip(lines, kept, strict=False)]
    quoted = pieces("\n".join(shown))
    first = next((index for index, line in enumerate(shown) if line.strip() and line != "..."), None)

    assert first is None or quoted_at(lines, quoted) >= first


def test_a_text_that_only_begins_alike_holds_nothing() -> None:
    """Its first word is compared as any other."""
    assert quoted_at(["limit = 50"], pieces("limit = 5")) == -1


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("`self.state`", ("state",)),
        (" this.items[0].count ", ("items",)),
        ("Order::pay(self.x)", ("Order", "pay")),
        ("(*Command).Execute", ("Command", "Execute")),
        ("node:fs.readFile", ("node", "fs", "readFile")),
        ("self", ("self",)),
        ("()", ()),
    ],
)
def test_a_name_is_split_however_it_is_written(written: str, names: tuple[str, ...]) -> None:
    """Receivers, arguments and places in a collection are no part of it."""
    assert names_in(written) == names


@pytest.mark.parametrize(
    ("last", "expected"), [(("join",), True), (("os", "path", "join"), True), (("str", "join"), False), ((), False)]
)
def test_a_name_ends_with_what_is_said_of_it(last: tuple[str, ...], expected: bool) -> None:
    """Part by part; what is longer says something else, and nothing says nothing."""
    assert ends_with(("os", "path", "join"), last) is expected
    assert not ends_with(last, ("x", "os", "path", "join"))
    assert not ends_with((), last)


def test_a_quotation_that_leaves_out_everything_has_no_pieces() -> None:
    """There is nothing to compare then."""
    assert pieces("...\n  # ...\n") == ()
