"""Messages that somebody made so that reading them never ends."""

from __future__ import annotations

import ast

import pytest

from indexer.adapters.languages.placeholders import from_format
from indexer.adapters.languages.python.messages import message_texts
from tests.fakes.latency import within

# Both took minutes where every way to share zeros out between flags and width was tried.
SECONDS = 2.0


@pytest.mark.parametrize("text", ["%" + "0" * 30_000, "%(" * 30_000, "%" * 30_001, "%-" * 30_000])
def test_a_message_is_read_in_time_whatever_it_holds(text: str) -> None:
    """In Python's notation and in that of the other languages."""
    with within(SECONDS):
        read = (from_format(text), *message_texts(ast.parse(f"{text!r} % x", mode="eval").body, {}))

        assert any(read)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("%05d of %-08.2f", "{} of {}"),
        ("%0*d left", "{} left"),
        ("at %s, 100%", "at {}, 100%"),
    ],
)
def test_flags_and_width_are_one_directive(text: str, told: str) -> None:
    """Zeros may be either."""
    assert from_format(text) == told
    assert message_texts(ast.parse(f"{text!r} % x", mode="eval").body, {}) == (told,)
