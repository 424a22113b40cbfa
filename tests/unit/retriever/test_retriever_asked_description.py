"""Which questions describe a definition by what it does, and in which words."""

from __future__ import annotations

import pytest

from retriever.domain.asked.description import asked_description


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which function returns the encoding of a response?", "returns the encoding of a response"),
        ("Is there a helper that splits a header into parts?", "splits a header into parts"),
        ("Where is the code that resolves dependencies of packages", "resolves dependencies of packages"),
        ("What converts a naive date to local time?", "converts a naive date to local time"),
        ("Which class keeps open connections to hosts?!", "keeps open connections to hosts"),
    ],
)
def test_what_something_does_is_a_description(question: str, told: str) -> None:
    """Its verb is the first word."""
    assert asked_description(question) == told


@pytest.mark.parametrize(
    "question",
    [
        "Which function calls Session.send when it retries a request?",
        "Which classes does the parser create?",
        "What happens when a session expires after a day?",
        "Where is the code that parses dates?",
        "How does a request find its view function?",
        "Which function returns\nthe encoding of a response?",
        "",
    ],
)
def test_other_questions_describe_nothing(question: str) -> None:
    """Who asks for callers or for what happens knows what it is about; two words describe too many things."""
    assert asked_description(question) == ""
