"""What a question wants to add one more of, and which names say so."""

from __future__ import annotations

import pytest

from retriever.domain.extending import covered, kind_to_extend


@pytest.mark.parametrize(
    ("question", "name", "other"),
    [
        ("How do I write a custom rule?", "TestRule", "RuleBook"),
        ("How would we add support for importing from another tool?", "Importer", "Toolbox"),
        ("how can I plug in a metrics tracker", "IMetricsTracker", "TrackerPage"),
        ("How do I implement a router?", "Router", "Route66"),
        ("How do I add a new binding format?", "Binding", "FormatError"),
    ],
)
def test_a_kind_is_told_by_the_last_part_of_a_name(question: str, name: str, other: str) -> None:
    """In any form of the word; what only belongs to the kind is none of it."""
    kind = kind_to_extend(question)

    assert covered(name, kind) > 0.4
    assert covered(other, kind) == 0.0


def test_the_name_that_says_more_comes_first() -> None:
    """Of the question, and of itself."""
    kind = kind_to_extend("How do I add a new metrics tracker?")

    assert covered("MetricsTrackerFactory", kind) == 1.0
    assert covered("ClickTracker", kind) < covered("Tracker", kind) < 1.0


@pytest.mark.parametrize(
    "question",
    ["How do I add a route?", "How do I create a session?", "How does it add new rules?", "What is a custom rule?"],
)
def test_who_uses_the_code_extends_nothing(question: str) -> None:
    """A route is added by a call."""
    assert kind_to_extend(question) == ()
    assert covered("Route", ()) == 0.0
