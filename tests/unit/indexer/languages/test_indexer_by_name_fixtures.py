"""
The languages read by name, each over a small repository with all that is in it written down.

`UPDATE_GOLDEN=1` writes `expected.json` anew: review the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TypeAlias

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import LinkUnit, Resolution
from tests.unit.indexer.read_units import units_below

ROOT = Path(__file__).parents[3] / "fixtures"
NAMES = ("rust", "c", "cpp", "csharp", "ruby", "php")
PACKS = ("kotlin", "swift", "scala", "shell", "lua", "elixir", "dart", "terraform", "proto", "sql", "cython")
"""Languages that are read by their packs alone."""

Golden: TypeAlias = "dict[str, list[str]]"


def units(name: str) -> list[LinkUnit]:
    """Read a repository in order of path; its headers belong to its language."""
    return units_below(ROOT / name, languages()[name])


def described(name: str) -> Golden:
    """Write all that was found in a repository as lines."""
    parsed = units(name)
    found: Golden = {"symbols": [], "documentation": [], "facts": [], "edges": []}
    for unit in parsed:
        for symbol in unit.parsed.symbols:
            place = f"{unit.path}:{symbol.start_line}-{symbol.end_line}"
            shown = "" if symbol.is_public else " private"
            marks = "".join(f" @{each}" for each in symbol.decorators)
            called = symbol.qualified_name or symbol.name
            about = f"{symbol.kind.name} {called} | {symbol.signature}{shown}{marks} ({symbol.complexity})"
            found["symbols"].append(f"{place} {about}")
            if symbol.docstring:
                found["documentation"].append(f"{unit.path} {called}: {symbol.docstring}")
        for fact in unit.parsed.facts:
            owner = unit.parsed.symbols[fact.symbol].qualified_name
            found["facts"].append(f"{unit.path}:{fact.line} {owner} {fact.kind.name} {fact.value}")
    linker = linkers().get(name)
    for edge in linker.link(parsed).edges if linker else ():
        source = parsed[edge.source[0]]
        caller = source.parsed.symbols[edge.source[1]].qualified_name
        how = edge.tier.name if edge.resolution == Resolution.RESOLVED else edge.resolution.name
        place = ""
        if edge.target is not None:
            target = parsed[edge.target[0]]
            place = f" at {target.path}:{target.parsed.symbols[edge.target[1]].start_line}"
        line = f"{source.path}:{edge.line} {caller} {edge.kind.name} {edge.target_name}{place} [{how}]"
        found["edges"].append(line)
    return found


@pytest.mark.parametrize("name", [*NAMES, *PACKS])
def test_all_that_is_planted_is_found_and_nothing_else(name: str) -> None:
    """Symbols, documentation, facts and edges of a repository are exactly those that are written down."""
    golden, found = ROOT / name / "expected.json", described(name)
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    assert found == json.loads(golden.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [*NAMES, *PACKS])
def test_a_file_cut_off_keeps_what_stands_before(name: str) -> None:
    """Files that end in the middle of a definition still have the symbols above, and never fail."""
    language = languages()[name]
    for unit in units(name):
        text = (ROOT / name / unit.path).read_text(encoding="utf-8")
        cut = language.parse(unit.path, unit.module, text[: len(text) * 2 // 3] + "\n((({{{ \x00 <<<")

        assert cut.error == ""
        assert len(cut.symbols) >= 1


@pytest.mark.parametrize(
    ("name", "opening", "closing"),
    [("rust", "fn f() { a(b(", ")) }"), ("c", "int f(void) { a(b(", ")); }"), ("php", "<?php a(b(", "));")],
)
def test_depth_of_nesting_is_no_limit(name: str, opening: str, closing: str) -> None:
    """Thousands of brackets inside of each other do not exhaust the stack."""
    text = opening + "(" * 20_000 + "1" + ")" * 20_000 + closing
    parsed = languages()[name].parse("deep", "deep", text)

    assert parsed.symbols
