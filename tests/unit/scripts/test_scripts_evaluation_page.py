"""The page of the evaluation is made of its data, and a row that is not whole is refused."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest

from scripts.gen_evaluation_page import DATA, PAGE, lines_of, page


def test_the_page_is_current_and_short() -> None:
    """What is committed is what the script writes, in at most 200 lines."""
    assert PAGE.read_text(encoding="utf-8") == page()
    assert len(page().splitlines()) <= 200


@pytest.mark.parametrize(
    ("column", "value"),
    [(0, ""), (1, ""), (3, "autumn"), (4, "no such command")],
    ids=["name", "figure", "date", "command"],
)
def test_a_row_that_is_not_whole_is_refused(column: int, value: str) -> None:
    """Each figure has a name, a date and a command that is written down."""
    data: dict[str, Any] = copy.deepcopy(tomllib.loads(DATA.read_text(encoding="utf-8")))
    data["areas"][0]["rows"][0][column] = value

    with pytest.raises(ValueError, match="a row needs"):
        list(lines_of(data))


def test_a_command_without_a_row_is_refused() -> None:
    """Commands of figures that were removed do not stay behind."""
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    data["commands"]["old"] = "make old"

    with pytest.raises(ValueError, match="commands without a row: old"):
        list(lines_of(data))
