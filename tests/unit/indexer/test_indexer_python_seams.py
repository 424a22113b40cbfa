"""Framework seams: small programs on top of frameworks whose every call is written beside its line."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.model import EdgeKind, LinkUnit, Resolution, Tier

ROOT = Path(__file__).parents[2] / "fixtures" / "python" / "seams"
NOTE = re.compile(r"#: (.+)$")


@cache
def found_calls() -> dict[tuple[str, int], set[str]]:
    """Give what each line is found to call inside the fixture, overrides left out."""
    language = PythonLanguage()
    paths = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
    modules = language.module_names(paths)
    units = [
        LinkUnit(path, modules[path], language.parse(path, modules[path], (ROOT / path).read_text(encoding="utf-8")))
        for path in paths
    ]
    found: dict[tuple[str, int], set[str]] = {}
    for edge in FlowLinker(PythonSemantics()).link(units):
        if edge.kind == EdgeKind.CALL and edge.resolution == Resolution.RESOLVED and edge.tier != Tier.OVERRIDE:
            found.setdefault((paths[edge.source[0]], edge.line), set()).add(edge.target_name)
    return found


def noted_calls() -> dict[tuple[str, int], set[str]]:
    """Read what each line is said to call."""
    return {
        (path.relative_to(ROOT).as_posix(), number): set(note.group(1).split(", "))
        for path in sorted(ROOT.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (note := NOTE.search(line))
    }


@pytest.mark.parametrize(("place", "expected"), sorted(noted_calls().items()), ids=lambda value: str(value)[:60])
def test_a_line_calls_what_is_written_beside_it(place: tuple[str, int], expected: set[str]) -> None:
    """Each annotated line calls exactly the functions, classes and modules that its comment names."""
    assert found_calls().get(place, set()) == expected


def test_lines_without_a_note_call_nothing_of_the_fixture() -> None:
    """No edge is found where none is written."""
    noted = noted_calls()

    assert {place: names for place, names in found_calls().items() if place not in noted} == {}
