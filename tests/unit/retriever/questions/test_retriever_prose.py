"""The first sentence of a documentation."""

from __future__ import annotations

import pytest

from retriever.domain.views.prose import summary


@pytest.mark.parametrize(
    ("documentation", "first"),
    [
        (
            "\n  Convert the value to an\n  instance of `Response`. Then more.\n\nArgs: x",
            "Convert the value to an instance of `Response`.",
        ),
        ("Runs e.g. `go run`, version 1.2 of it. Twice.", "Runs e.g. `go run`, version 1.2 of it."),
        ("One line without an end", "One line without an end"),
        ("", ""),
        ("word " * 60, "word " * 23 + "word …"),
    ],
)
def test_a_summary_is_one_sentence_on_one_line(documentation: str, first: str) -> None:
    """Abbreviations and numbers end none; what is long is cut between words, and shows it."""
    assert summary(documentation) == first
