"""Pages of a list that changes while it is read."""

from __future__ import annotations

from common.rpc.paging import page_behind


def read(before: list[str], after: list[str], size: int = 2) -> list[str]:
    """Read a list whose first page is read before it changes."""
    page, cursor = page_behind(before, lambda row: (row,), "", size)
    seen = list(page)
    while cursor:
        page, cursor = page_behind(after, lambda row: (row,), cursor, size)
        seen += page
    return seen


def test_each_row_is_on_one_page() -> None:
    """The last page has no cursor, also when it is full."""
    assert read(list("abcde"), list("abcde")) == list("abcde")
    assert read(list("abcd"), list("abcd")) == list("abcd")
    assert page_behind([], lambda row: (row,), "", 2) == ([], "")


def test_a_row_that_is_gone_or_came_moves_no_other() -> None:
    """The last of a page may be removed: the next one goes on behind its place, and nothing is read twice."""
    assert read(list("abcde"), list("acde")) == list("abcde")
    assert read(list("abcde"), list("0aabcde")) == list("abcde")
    assert read(list("abcde"), []) == list("ab")


def test_places_of_several_parts_are_compared_part_by_part() -> None:
    """Numbers as numbers, though a cursor is text."""
    rows = [(-10, "b"), (-10, "c"), (-9, "a"), (100, "a")]
    first, cursor = page_behind(rows, lambda row: row, "", 1)
    second, cursor = page_behind(rows[1:], lambda row: row, cursor, 1)
    rest, end = page_behind(rows, lambda row: row, cursor, 5)

    assert [*first, *second, *rest] == rows
    assert end == ""
