"""Framework seams: small programs on top of frameworks whose every call is written beside its line."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from indexer.adapters.languages.go.language import GoLanguage
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.go.semantics import GoSemantics
from indexer.domain.linking.java.semantics import JavaSemantics
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.semantics import Semantics
from indexer.ports import Language
from tests.unit.indexer.noted_calls import found_calls, noted_calls

FIXTURES = Path(__file__).parents[3] / "fixtures"
LANGUAGES: dict[str, tuple[Language, Semantics]] = {
    "python": (PythonLanguage(), PythonSemantics()),
    "java": (JavaLanguage(), JavaSemantics()),
    "go": (GoLanguage(), GoSemantics()),
    "typescript": (JavaScriptLanguage(), JavaScriptSemantics()),
}
NOTED = sorted(
    (name, place, expected)
    for name, (language, _) in LANGUAGES.items()
    for place, expected in noted_calls(FIXTURES / name / "seams", language).items()
)


@cache
def found_in(name: str) -> dict[tuple[str, int], set[str]]:
    """Link a language's fixture once."""
    return found_calls(FIXTURES / name / "seams", *LANGUAGES[name])


@pytest.mark.parametrize(
    ("name", "place", "expected"), NOTED, ids=lambda value: str(sorted(value) if isinstance(value, set) else value)[:60]
)
def test_a_line_calls_what_is_written_beside_it(name: str, place: tuple[str, int], expected: set[str]) -> None:
    """Each annotated line calls exactly the functions, classes and modules that its comment names."""
    assert found_in(name).get(place, set()) == expected


@pytest.mark.parametrize("name", LANGUAGES)
def test_lines_without_a_note_call_nothing_of_the_fixture(name: str) -> None:
    """No edge is found where none is written."""
    noted = {place for language, place, _ in NOTED if language == name}

    assert {place: names for place, names in found_in(name).items() if place not in noted} == {}
