"""One small program for each construct of JavaScript and TypeScript: what is found to call what."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.naming import arrow_names, named_calls
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.world import World
from tests.unit.indexer.golden_programs import programs
from tests.unit.indexer.read_units import units_of


def solved(sources: dict[str, str]) -> World:
    """Link files given by path."""
    texts = {path: textwrap.dedent(text) for path, text in sources.items()}
    return Engine(JavaScriptSemantics()).solve(units_of(JavaScriptLanguage(), texts))


def calls(sources: dict[str, str]) -> set[str]:
    """Give `caller > callee` of all calls inside the files that a walk follows."""
    return {
        f"{caller} > {callee}"
        for (caller, callee), confidence in named_calls(solved(sources)).items()
        if 0.55 <= confidence < 1.0
    }


@pytest.mark.parametrize(("files", "expected"), programs("javascript"))
def test_a_construct_calls_what_it_runs(files: dict[str, str], expected: list[str]) -> None:
    """Each construct gives these edges and no others."""
    assert sorted(calls(files)) == expected


@pytest.mark.parametrize(("files", "expected"), programs("typescript", "javascript_modules"))
def test_types_and_imports_lead_to_what_they_name(files: dict[str, str], expected: list[str]) -> None:
    """Each annotation, and each way to import, gives these edges and no others."""
    assert sorted(edge for edge in calls(files) if "<" not in edge) == expected


def test_bound_arrows_have_a_number_too() -> None:
    """Benchmarks that count arrow functions find them under their numbers."""
    world = solved({"m.js": "const f = () => 1; g(() => 2); const h = (x) => x"})

    assert arrow_names(world) == {"m.f": "m.<arrow1>", "m.h": "m.<arrow3>"}
