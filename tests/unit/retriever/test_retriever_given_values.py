"""Values that are given over several lines, and limits of what is done."""

from __future__ import annotations

import time

import pytest

from retriever.domain.asked.setting import asked_setting, coverage
from retriever.domain.assignments import Assignment, assignments


@pytest.mark.parametrize(
    ("text", "about", "expected"),
    [
        (
            'parser.add_argument(\n    "--door",\n    dest="door",\n    default="oak",\n)\n',
            "oor",
            ("door", '"oak"', 2, 4),
        ),
        ('@click.option("--door", "-d", default=8, help="(wide)")\n', "oor", ("door", "8", 1, 1)),
        ('  .option("door", {\n    default: 8,\n  })\n', "oor", ("door", "8", 1, 2)),
        ("  return new Builder()\n    .setDoor(Woods.OAK)\n    .setBell(2);\n", "oor", ("door", "Woods.OAK", 2, 2)),
        ("  let c = Shop::new()\n    .with_door(8)\n", "oor", ("door", "8", 2, 2)),
        ("const doors = [\n  408,\n  413, // too wide\n];\n", "oor", ("doors", "[408, 413]", 1, 4)),
        ("DOORS = frozenset({\n    'oak',\n    'elm',\n})\n", "oor", ("DOORS", "frozenset({'oak', 'elm'})", 1, 4)),
        ("var doors = []int{\n\t8,\n\t9,\n}\n", "oor", ("doors", "[]int{8, 9}", 1, 4)),
    ],
)
def test_what_is_given_over_several_lines_is_read(text: str, about: str, expected: tuple[str, str, int, int]) -> None:
    """Options of command lines with their default, what a chain of calls sets, and lists of plain values."""
    found = [
        (each.keys[-1], each.value, each.line, each.end_line) for each in assignments(text, (about,), is_code=True)
    ]

    assert expected in found


@pytest.mark.parametrize(
    "text",
    [
        'parser.add_argument("--door", help="of oak")\nparser.add_argument("--bell", default=3)\n',
        'run("--door", default=3)\n',
        "doors = [\n    open(8),\n]\n",
        "/**\n * ```\n   door: 8\n */\n",
    ],
)
def test_what_is_given_to_something_else_is_no_value(text: str) -> None:
    """Nor what a comment shows."""
    found = [each for each in assignments(text, ("oor",), is_code=True) if each.keys[-1].startswith("door")]

    assert not any(each.value for each in found)


@pytest.mark.parametrize(
    ("question", "keys", "value", "likely"),
    [
        ("How many times is an order retried?", ("DEFAULTS", "retry", "limit"), "2", True),
        ("How many times is an order retried?", ("max_retries",), "2", True),
        ("How many times is an order retried?", ("retry_delay",), "2", True),
        ("How many times is an order retried?", ("retry_count",), "0", False),
        ("How many times is an order retried?", ("DEFAULTS", "page", "limit"), "2", False),
        ("What is the default retry delay?", ("DEFAULTS", "retry", "limit"), "2", False),
    ],
)
def test_how_often_something_is_done_is_told_by_its_limit(
    question: str, keys: tuple[str, ...], value: str, *, likely: bool
) -> None:
    """That has the deed in its name or around it; what counts how often it was done is none."""
    asked = asked_setting(question)

    assert asked is not None
    assert (coverage(Assignment(keys, value, 1, 1), asked, "shop/orders.py") > 0.8) is likely


def test_a_limit_goes_before_what_else_is_set_of_a_deed() -> None:
    """As a delay."""
    asked = asked_setting("How many times is an order retried?")
    assert asked is not None

    shares = [coverage(Assignment((name,), "2", 1, 1), asked, "a.py") for name in ("max_retries", "retry_delay")]

    assert shares[0] > shares[1]


@pytest.mark.parametrize(
    "text",
    [
        "/* limit = 5\n" * 20_000,
        "limit = [\n" * 20_000,
        'add_argument("--limit",\n' * 20_000,
        '"--limit" (\n' * 20_000,
        f".setLimit({'(' * 380}\n" * 1_000,
        f"limit = {'=:' * 190}\n" * 1_000,
    ],
)
def test_what_is_never_closed_takes_no_longer(text: str) -> None:
    """A file of nothing else is read in a moment."""
    began = time.process_time()
    list(assignments(text, ("limit",), is_code=True))

    assert time.process_time() - began < 5
