"""The fit of the ranking's weights, and how a change is told as a report."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.collect_changes import Diff, plain_lines, text_of
from scripts.ranking_fit import Graded, fit


def lists_with_signal_in(column: int, weight: float = 1.0) -> list[Graded]:
    """Queries of three rows, of which the right one is high in one column; the other column is noise."""
    draw = np.random.default_rng(3)
    found = []
    for _ in range(30):
        rows = draw.normal(size=(3, 2)).astype(np.float32)
        rows[0, column] += 3.0
        found.append(Graded(rows, np.array([1.0, 0.0, 0.0]), weight))
    return found


def test_the_column_that_tells_right_from_wrong_gets_the_weight() -> None:
    """A column that is high for right rows is worth more than one that says nothing."""
    weights = fit(lists_with_signal_in(1), 1.0, np.zeros(2))

    assert weights[1] > 5 * abs(weights[0])


def test_without_anything_to_learn_the_start_stays() -> None:
    """The ridge pulls to where it started, if queries count for nothing."""
    weights = fit(lists_with_signal_in(1, weight=0.0), 1.0, np.array([1.0, 0.5]))

    assert weights == pytest.approx([1.0, 0.5])


def test_messages_are_left_without_what_says_nothing() -> None:
    """Numbers of issues, links, trailers and repeated lines go."""
    message = (
        "Fix totals (#12)\n\n* Fix totals\nSee https://example.org/1 for rounding\nCo-authored-by: A <a@example.org>"
    )

    assert plain_lines(message) == ["Fix totals", "See  for rounding"]


def test_a_change_without_log_and_tests_is_told_by_its_message() -> None:
    """Nothing is made up where the change has nothing to tell."""
    assert text_of("c0ffee", ["Fix totals"], Diff({}, {"shop/cart.py": ["total = 1"]})) == "Fix totals"
