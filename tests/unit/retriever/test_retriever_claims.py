"""Quotations of code: what is left out of them, and where they stand."""

from __future__ import annotations

import pytest

from retriever.domain.claims import pieces, quoted_at

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


def test_a_quotation_that_leaves_out_everything_has_no_pieces() -> None:
    """There is nothing to compare then."""
    assert pieces("...\n  # ...\n") == ()
