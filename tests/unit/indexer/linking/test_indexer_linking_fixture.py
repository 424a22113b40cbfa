"""The linker over a small shop whose every call is written beside its line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.naming import named_calls
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.model import EdgeKind, LinkUnit, Resolution
from tests.unit.indexer.noted_calls import Calls, noted_calls, solved_calls
from tests.unit.indexer.read_units import units_below

ROOT = Path(__file__).parents[3] / "fixtures" / "python" / "bookshop"
NOTE = re.compile(r"#: (.+)$")


def units() -> list[LinkUnit]:
    """Read the shop in order of path."""
    return units_below(ROOT, PythonLanguage())


def found_calls() -> Calls:
    """Give what each line is found to call in it."""
    return solved_calls(ROOT, PythonLanguage(), PythonSemantics())


@pytest.mark.parametrize(
    ("place", "expected"),
    sorted(noted_calls(ROOT, PythonLanguage()).items()),
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value)[:60],
)
def test_a_line_calls_what_is_written_beside_it(place: tuple[str, int], expected: set[str]) -> None:
    """Each annotated line calls exactly the functions that its comment names."""
    assert found_calls().get(place, set()) == expected


def test_lines_without_a_note_call_nothing_of_the_shop() -> None:
    """No edge is found where none is written."""
    noted = noted_calls(ROOT, PythonLanguage())

    assert {place: names for place, names in found_calls().items() if place not in noted} == {}


def test_edges_do_not_depend_on_the_hash_seed() -> None:
    """Two processes with different seeds print the same edges in the same order."""
    command = [sys.executable, "-m", "indexer.edges", "--root", str(ROOT)]
    printed = [
        json.loads(subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": seed}))["edges"]
        for seed in ("1", "2")
    ]

    assert printed[0] == printed[1]
    assert len(printed[0]) == len(named_calls(Engine(PythonSemantics()).solve(units())))


def test_edges_are_ordered_and_unique() -> None:
    """The linker's edges come in order of file and line, each of them once, and point at symbols that exist."""
    parsed = units()
    edges = FlowLinker(PythonSemantics()).link(parsed).edges

    assert len(set(edges)) == len(edges)
    assert [(edge.source[0], edge.line) for edge in edges] == sorted((edge.source[0], edge.line) for edge in edges)
    assert all(edge.target is None or edge.target[1] < len(parsed[edge.target[0]].parsed.symbols) for edge in edges)
    assert {edge.kind for edge in edges} == set(EdgeKind)
    assert {edge.resolution for edge in edges} == set(Resolution)


def test_imports_bases_and_foreign_calls_are_kept_by_name() -> None:
    """Imports lead to what they import, bases to classes, and calls outside the project keep their dotted names."""
    parsed = units()
    edges = FlowLinker(PythonSemantics()).link(parsed).edges
    named = {(edge.kind, parsed[edge.source[0]].module, edge.target_name, edge.resolution) for edge in edges}

    assert (EdgeKind.IMPORT, "shop.app", "shop.catalog.Catalog", Resolution.RESOLVED) in named
    assert (EdgeKind.INHERITS, "shop.catalog", "shop.catalog.Shelf", Resolution.RESOLVED) in named
    assert (EdgeKind.CALL, "shop.events", "threading.Thread.start", Resolution.EXTERNAL) in named
    assert (EdgeKind.REFERENCES, "shop.app", "shop.app.restock", Resolution.RESOLVED) in named
