"""Java and Go over small projects and cases whose symbols, facts and calls are written down beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from indexer.adapters.languages.go.language import GoLanguage
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.domain.linking.go.semantics import GoSemantics
from indexer.domain.linking.java.semantics import JavaSemantics
from indexer.domain.linking.naming import defined_names, named_calls
from indexer.domain.linking.semantics import Semantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.values import qualified_name
from indexer.domain.linking.tiers import kept_targets
from indexer.domain.model import Tier
from indexer.ports import Language
from tests.unit.indexer.read_units import units_below

FIXTURES = Path(__file__).parents[3] / "fixtures"
NOTE = re.compile(r"//: (.+)$")
LANGUAGES: dict[str, tuple[Language, Semantics]] = {
    "java": (JavaLanguage(), JavaSemantics()),
    "go": (GoLanguage(), GoSemantics()),
}
PROJECTS = [("java", "orders"), ("go", "ledger")]
CASES = sorted(path.parent.relative_to(FIXTURES).as_posix() for path in FIXTURES.glob("*/callgraph/*/callgraph.json"))
MIN_CONFIDENCE = 0.55


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith(("java", "go"))])
def test_calls_of_a_case_are_found_and_no_others(case: str) -> None:
    """Each construct calls exactly what its case says."""
    language, semantics = LANGUAGES[case.partition("/")[0]]
    truth = json.loads((FIXTURES / case / "callgraph.json").read_text(encoding="utf-8"))
    world = Engine(semantics).solve(units_below(FIXTURES / case, language))
    defined = set(defined_names(world))
    found = {
        edge for edge, confidence in named_calls(world).items() if confidence >= MIN_CONFIDENCE and edge[1] in defined
    }

    assert found == {(caller, callee) for caller, callees in truth.items() for callee in callees}


@pytest.mark.parametrize(("name", "project"), PROJECTS)
def test_symbols_and_facts_of_a_project_are_found_and_no_others(name: str, project: str) -> None:
    """Every symbol with all that is read of it, every raise, change, message, route and reason."""
    expected = json.loads((FIXTURES / name / f"{project}.expected.json").read_text(encoding="utf-8"))
    parsed = {unit.path: unit.parsed for unit in units_below(FIXTURES / name / project, LANGUAGES[name][0])}

    assert {
        path: {
            "symbols": [
                f"{s.kind.name} {s.qualified_name} {s.start_line}-{s.end_line} "
                f"{'public' if s.is_public else 'private'} {s.complexity} | {s.signature} | {s.docstring}"
                for s in file.symbols[1:]
            ],
            "facts": [
                f"{fact.line} {file.symbols[fact.symbol].qualified_name or '<module>'} {fact.kind.name} {fact.value}"
                for fact in file.facts
            ],
        }
        for path, file in parsed.items()
    } == expected


@pytest.mark.parametrize(("name", "project"), PROJECTS)
def test_calls_of_a_project_are_found_at_their_lines_and_no_others(name: str, project: str) -> None:
    """What is written behind `//:` is what the line calls inside the project."""
    language, semantics = LANGUAGES[name]
    root = FIXTURES / name / project
    parsed = units_below(root, language)
    world = Engine(semantics).solve(parsed)
    found: dict[tuple[str, int], set[str]] = {}
    for site in world.sites:
        targets = {
            qualified_name(function)
            for function, tier in kept_targets(site).items()
            if tier != Tier.OVERRIDE and "<lambda" not in qualified_name(site.scope)
        }
        if targets:
            found.setdefault((parsed[site.scope.unit].path, site.line), set()).update(targets)
    noted = {
        (unit.path, number): set(note.group(1).split(", "))
        for unit in parsed
        for number, line in enumerate((root / unit.path).read_text(encoding="utf-8").splitlines(), 1)
        if (note := NOTE.search(line))
    }

    assert found == noted
