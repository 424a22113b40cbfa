"""A defect of the linker costs the file or the step that it arises in, and is told."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from dataclasses import replace

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.failures import NO_UNIT
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.packed import pack, unpack
from indexer.domain.linking.solver.world import Site
from indexer.domain.model import ALL_TIERS, EdgeKind, Linked, LinkUnit, Resolution
from indexer.usecases.indexing.contained_link import link_contained
from tests.unit.indexer.read_units import units_of

FILES = {
    "javascript": {
        "a.js": "function a() {}\na();\n",
        "b.js": "function b() {}\nb();\n",
        "c.js": "function c() {}\nc();\n",
    },
    "rust": {"a.rs": "fn a() { a2(); }\nfn a2() {}\n", "b.rs": "fn b() { b(); }\n", "c.rs": "fn c() { c(); }\n"},
}
UNMET = 251
"""An operation that no language has."""


def called(linked: Linked, units: Sequence[LinkUnit]) -> set[str]:
    """Return the files with a resolved call."""
    kinds = (EdgeKind.CALL, Resolution.RESOLVED)
    return {units[each.source[0]].path for each in linked.edges if (each.kind, each.resolution) == kinds}


def units(language: str, **programs: bytes) -> list[LinkUnit]:
    """Read the files of a language; some get another program."""
    read = units_of(languages()[language], FILES[language])
    return [
        replace(each, parsed=replace(each.parsed, program=programs.get(each.path[0], each.parsed.program)))
        for each in read
    ]


@pytest.mark.parametrize("language", FILES)
@pytest.mark.parametrize("program", [b"\xff", marshal.dumps(("", 1))], ids=["damaged", "of another shape"])
def test_files_whose_program_cannot_be_loaded_cost_themselves(language: str, program: bytes) -> None:
    """The others are linked as if these defined nothing."""
    given = units(language, a=program, c=program)
    linked = link_contained(linkers()[language], given)

    assert called(linked, given) == {given[1].path}
    assert [*linked.failed] == [0, 2]
    assert linked.cut == ALL_TIERS


def test_an_instruction_that_nothing_knows_costs_its_file() -> None:
    """It is met when the definitions of all files exist: they are linked again without it."""
    slots, scopes, exports, stars, code = unpack(units("javascript")[1].parsed.program)
    given = units("javascript", b=pack((slots, scopes, exports, stars, (*code, (UNMET, 0)))))
    linked = link_contained(linkers()["javascript"], given)

    assert called(linked, given) == {"a.js", "c.js"}
    assert linked.failed == {1: "KeyError in Constraints.install_code"}


class FailingStep(JavaScriptSemantics):
    """Fails on each call of something unknown."""

    def call_unknown(self, engine: Engine, site: Site) -> None:
        """Fail."""
        raise LookupError(site.written)


class FailingReaction(JavaScriptSemantics):
    """Fails while values are handed on."""

    def connect(self, engine: Engine, named: object) -> None:
        """Fail."""
        raise LookupError(str(named))


def test_a_reaction_that_fails_costs_its_own_edges() -> None:
    """No file can be told to lack them, so that the tier is cut and the language told."""
    given = units("javascript")
    linked = link_contained(FlowLinker(FailingReaction()), given)

    assert called(linked, given) == {"a.js", "b.js", "c.js"}
    assert linked.failed == {NO_UNIT: "LookupError in FailingReaction.connect"}
    assert linked.cut != ()


def test_a_step_over_all_files_that_fails_costs_the_language() -> None:
    """All its files have the reason."""
    given = units_of(languages()["javascript"], {"a.js": "function a(x) { x.y(); }\n", "b.js": "b();\n"})
    linked = link_contained(FlowLinker(FailingStep()), given)

    assert linked.edges == ()
    assert linked.failed == dict.fromkeys((0, 1), "LookupError in FailingStep.call_unknown")
    assert linked.cut == ALL_TIERS


def test_rust_names_passed_on_without_end_cost_the_file_that_uses_them() -> None:
    """What thousands of modules hand to one another is nested too deeply; the other files are linked."""
    chain = "".join(f"pub mod m{at} {{ pub use super::m{at + 1}::*; }}\n" for at in range(400))
    endless = f"{chain}pub mod m400 {{ pub fn z() {{}} }}\npub fn go() {{ m0::z(); }}\n"
    given = units_of(
        languages()["rust"],
        {"src/lib.rs": "mod m;\nmod n;\n", "src/m.rs": endless, "src/n.rs": "fn f() { g(); }\nfn g() {}\n"},
    )
    linked = link_contained(linkers()["rust"], given)

    assert called(linked, given) == {"src/n.rs"}
    assert linked.failed == {1: "nested too deeply"}
