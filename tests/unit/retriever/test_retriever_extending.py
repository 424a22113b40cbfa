"""What a question wants to add one more of, and which names say so."""

from __future__ import annotations

import pytest

from retriever.domain.asked.extending import AskedKind, asked_kind, bears, covered


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
    kind = asked_kind(question).kind

    assert covered(name, kind) > 0.4
    assert covered(other, kind) == 0.0


def test_the_name_that_says_more_comes_first() -> None:
    """Of the question, and of itself."""
    kind = asked_kind("How do I add a new metrics tracker?").kind

    assert covered("MetricsTrackerFactory", kind) == 1.0
    assert covered("ClickTracker", kind) < covered("Tracker", kind) < 1.0


@pytest.mark.parametrize(
    "question",
    ["How do I add a route?", "How do I create a session?", "How does it add new rules?", "What is a custom rule?"],
)
def test_who_uses_the_code_extends_nothing(question: str) -> None:
    """A route is added by a call."""
    assert asked_kind(question) == AskedKind()
    assert covered("Route", ()) == 0.0


@pytest.mark.parametrize(
    ("question", "name", "other"),
    [
        ("Which evaluators are there?", "Evaluator", "EvaluatorError"),
        ("Which worker types are there and how do they differ?", "Worker", "WorkerPool"),
        ("What kinds of caches exist?", "BaseCache", "CacheError"),
        ("Which databases does Postbox support?", "Database", "DatabaseProxy"),
        ("Which databases are supported?", "DatabaseBackend", "BackendURL"),
        ("Which storage backends are available?", "StorageBackend", "StorageError"),
        ("What are the different log formatters?", "LogFormatter", "FormatError"),
        ("List all validators", "Validator", "ValidationError"),
        ("which modules exist?", "Module", "Modulo"),
        ("Which retry backoff strategies are there?", "AbstractBackoff", "RetryError"),
        ("Which strategies are there?", "FailoverStrategy", "Failover"),
        ("Which exceptions are there?", "ShopError", "ErrorCode"),
        ("Which errors can the shop throw?", "ShopError", "ErrorCode"),
    ],
)
def test_all_of_a_kind_are_asked_for(question: str, name: str, other: str) -> None:
    """A name that says less than that is of something else."""
    asked = asked_kind(question)

    assert covered(name, asked.kind) >= asked.least
    assert covered(other, asked.kind) < asked.least


@pytest.mark.parametrize(
    "question",
    [
        "Which classes are there?",
        "Which parts are deprecated?",
        "Which evaluator is there for ids, and what does it do with names?",
        "What happens when there are many workers?",
        "What are the callers of the parser?",
        "Which worker does the arbiter kill?",
    ],
)
def test_who_asks_for_one_asks_for_no_list(question: str) -> None:
    """Nor does who asks what becomes of several."""
    assert asked_kind(question).kind == ()


def test_what_one_more_is_added_to_is_read_apart() -> None:
    """So that what takes it can be found."""
    asked = asked_kind("How do I add a new tag to the safelist?")

    assert covered("Tag", asked.kind) == 1.0
    assert covered("Safelist", asked.holder) == 1.0
    assert covered("Safelist", asked.kind) == 0.0


@pytest.mark.parametrize(
    ("name", "is_borne"),
    [
        ("RedisCacheBackend", True),
        ("CacheBackends", True),
        ("BackendCache", False),
        ("RedisBackend", False),
        ("Backend", False),
    ],
)
def test_a_name_that_ends_with_all_of_a_kind_bears_it(name: str, *, is_borne: bool) -> None:
    """What says only part of it may be of any."""
    assert bears(name, asked_kind("Which cache backends are there?").kind) is is_borne


def test_a_kind_itself_is_none_of_its_kind() -> None:
    """One more word says which it is; names of nothing but scaffolding say nothing of any kind."""
    kind = asked_kind("Which controllers are there?").kind

    assert [bears(name, kind) for name in ("PetController", "Controller", "_")] == [True, False, False]
    assert [covered(name, kind) for name in ("Controller", "Base", "_")] == [1.0, 0.0, 0.0]
