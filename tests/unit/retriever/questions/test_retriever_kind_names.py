"""Which names say that something is of a kind."""

from __future__ import annotations

import pytest

from retriever.domain.questions.kinds import FAILURES, Kind, kind_of


@pytest.mark.parametrize(
    ("said", "name", "other"),
    [
        ("rule", "TestRule", "RuleBook"),
        ("importing from another tool", "ToolImporter", "Toolbox"),
        ("metrics tracker", "IMetricsTracker", "TrackerPage"),
        ("router", "Router", "Route66"),
        ("binding format", "Binding", "FormatError"),
        ("databases", "DatabaseBackend", "BackendURL"),
        ("exceptions", "ShopError", "ErrorCode"),
    ],
)
def test_a_kind_is_told_by_the_last_part_of_a_name(said: str, name: str, other: str) -> None:
    """In any form of the word; what only belongs to the kind is none of it."""
    kind = kind_of(said)

    assert kind.covered(name) > 0.4
    assert kind.covered(other) == 0.0


def test_the_name_that_says_more_comes_first() -> None:
    """Of the question, and of itself."""
    kind = kind_of("metrics tracker")

    assert kind.covered("MetricsTrackerFactory") == 1.0
    assert kind.covered("ClickTracker") < kind.covered("Tracker") < 1.0


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
    assert kind_of("cache backends").is_borne_by(name) is is_borne


def test_a_kind_itself_is_none_of_its_kind() -> None:
    """One more word says which it is; names of nothing but scaffolding say nothing of any kind."""
    kind = kind_of("controllers")

    assert [kind.is_borne_by(name) for name in ("PetController", "Controller", "_")] == [True, False, False]
    assert [kind.covered(name) for name in ("Controller", "Base", "_")] == [1.0, 0.0, 0.0]


def test_the_last_word_may_only_say_what_a_kind_is_used_for() -> None:
    """Without it no word is left of a kind of one."""
    assert kind_of("backoff strategies").without_head.covered("AbstractBackoff") == 1.0
    assert kind_of("strategies").without_head == Kind()


def test_errors_and_exceptions_are_one_kind() -> None:
    """Languages call the same by either word."""
    assert FAILURES.is_of_failures
    assert kind_of("exception").is_of_failures
    assert not kind_of("storage errors").is_of_failures
    assert not kind_of("backends").is_of_failures
