"""JavaScript and TypeScript over a small library whose calls and facts are written beside the lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.model import EdgeKind, FactKind, LinkUnit, Resolution
from tests.unit.indexer.noted_calls import Calls, noted_calls, solved_calls
from tests.unit.indexer.read_units import units_below

ROOT = Path(__file__).parents[3] / "fixtures" / "typescript" / "library"
GOLDEN = Path(__file__).parents[3] / "golden" / "typescript_symbols.txt"
CALLS = re.compile(r"//: ([^/]+?)\s*(?://!|$)")
FACTS = re.compile(r"//! (raises|changes|says|entry) (\"[^\"]*\"|\S+)")
KINDS = {
    "raises": FactKind.RAISES,
    "changes": FactKind.MUTATES,
    "says": FactKind.ERROR_STRING,
    "entry": FactKind.ENTRY_POINT,
}


def units() -> list[LinkUnit]:
    """Read the library in order of path."""
    return units_below(ROOT, JavaScriptLanguage())


def lines() -> list[tuple[str, int, str]]:
    """Give (path, number, text) of all lines."""
    return [
        (unit.path, number, line)
        for unit in units()
        for number, line in enumerate((ROOT / unit.path).read_text(encoding="utf-8").splitlines(), 1)
    ]


def found_calls() -> Calls:
    """Give what each line is found to call in it."""
    return solved_calls(ROOT, JavaScriptLanguage(), JavaScriptSemantics(), leave_out="<")


@pytest.mark.parametrize(
    ("place", "expected"),
    sorted(noted_calls(ROOT, JavaScriptLanguage()).items()),
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value)[:60],
)
def test_a_line_calls_what_is_written_beside_it(place: tuple[str, int], expected: set[str]) -> None:
    """Each annotated line calls exactly the functions that its comment names."""
    assert found_calls().get(place, set()) == expected


def test_lines_without_a_note_call_nothing_of_the_library() -> None:
    """No edge is found where none is written."""
    noted = noted_calls(ROOT, JavaScriptLanguage())

    assert {place: names for place, names in found_calls().items() if place not in noted} == {}


def test_facts_are_exactly_those_written_beside_the_lines() -> None:
    """Every throw, change, message and entry point is found on its line, and nothing else is."""
    noted = {
        (path, number, KINDS[kind], value.strip('"'))
        for path, number, line in lines()
        for kind, value in FACTS.findall(line)
    }
    noted.add(("src/cli.js", 1, FactKind.ENTRY_POINT, "script"))
    found = {
        (unit.path, fact.line, fact.kind, fact.value)
        for unit in units()
        for fact in unit.parsed.facts
        if fact.kind in KINDS.values()
    }

    assert sorted(found - noted) == []
    assert sorted(noted - found) == []


def test_symbols_are_those_of_the_golden_file() -> None:
    """Kinds, names, lines, visibility, complexity, signatures and the first lines of comments stay as reviewed."""
    written = "".join(
        f"{unit.path}:{symbol.start_line}-{symbol.end_line} {symbol.kind.name} {symbol.qualified_name or symbol.name} "
        f"{'public' if symbol.is_public else 'private'} {symbol.complexity} | {symbol.signature} | "
        f"{symbol.docstring.partition(chr(10))[0]}\n"
        for unit in units()
        for symbol in unit.parsed.symbols
    )

    assert written == GOLDEN.read_text(encoding="utf-8")


def test_edges_are_ordered_unique_and_of_all_kinds() -> None:
    """Imports lead to what they import, bases to classes, and calls outside the library keep their names."""
    parsed = units()
    edges = FlowLinker(JavaScriptSemantics()).link(parsed).edges
    named = {(edge.kind, parsed[edge.source[0]].module, edge.target_name, edge.resolution) for edge in edges}

    assert len(set(edges)) == len(edges)
    assert [(edge.source[0], edge.line) for edge in edges] == sorted((edge.source[0], edge.line) for edge in edges)
    assert all(edge.target is None or edge.target[1] < len(parsed[edge.target[0]].parsed.symbols) for edge in edges)
    assert (EdgeKind.IMPORT, "src.store.memory", "src.models.book.Book", Resolution.RESOLVED) in named
    assert (EdgeKind.INHERITS, "src.store.memory", "src.store.store.Counting", Resolution.RESOLVED) in named
    assert (EdgeKind.INHERITS, "src.errors", "builtins.Error", Resolution.EXTERNAL) in named
    assert (EdgeKind.REFERENCES, "src.web.routes", "src.web.routes.lend", Resolution.RESOLVED) in named
    assert (EdgeKind.CALL, "src.web.routes", "express.Router", Resolution.EXTERNAL) in named


def test_reasons_in_comments_belong_to_what_they_stand_above() -> None:
    """A comment that says why is a fact of the method below it."""
    found = [
        (unit.parsed.symbols[fact.symbol].qualified_name, fact.value)
        for unit in units()
        for fact in unit.parsed.facts
        if fact.kind == FactKind.RATIONALE
    ]

    assert found == [
        (
            "LendingService.load",
            "Late books stay with the reader because the old system cannot take them back.",
        )
    ]
