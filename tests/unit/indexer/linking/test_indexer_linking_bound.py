"""The bound of work: programs without end are linked as far as it goes, the same each time, and it is said."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.adapters.store.manifests import decode_set, encode_set
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.solver import Solver
from indexer.domain.linking.solver.values import Module
from indexer.domain.linking.solver.work_bound import MIN_STEPS, STEPS, WorkBound
from indexer.domain.linking.solver.world import SITE_STEPS
from indexer.domain.linking.stars import Stars
from indexer.domain.model import Edge, EdgeKind, LinkUnit, Tier
from indexer.domain.snapshots.snapshot import Counts, Layer, SnapshotSet
from indexer.rpc.convert import snapshot_message
from indexer.usecases.snapshots import ListedSnapshot

# A list whose own method is called with its elements, which are that method: each call makes another one.
ENDLESS = """
function called() {}
function handed(f) { f(); }
const all = [];
all.push(all.map);
all.map(all.map);
handed(called);
"""


def unit(language: JavaScriptLanguage | PythonLanguage, text: str) -> LinkUnit:
    return LinkUnit("m", "m", language.parse("m", "m", text))


def calls(edges: list[Edge]) -> set[tuple[str, Tier]]:
    return {(edge.target_name, edge.tier) for edge in edges if edge.kind == EdgeKind.CALL and edge.target is not None}


def partials(count: int) -> str:
    """Write calls of partial objects that are made of each other: each call leads to all chains of three of them."""
    lines = ["from functools import partial", "def f(): pass", "made = [f]"]
    lines += [f"made.append(partial(made[0], {number}))\nmade[{number}]()" for number in range(count)]
    return "\n".join(lines)


def test_a_link_without_end_keeps_what_is_known_and_goes_on_with_the_next_tier() -> None:
    """The tier that has no end is cut; calls of the tiers before it and behind it are found."""
    linked = FlowLinker(JavaScriptSemantics()).link([unit(JavaScriptLanguage(), ENDLESS)])

    assert linked.cut == (Tier.CONTAINER,)
    assert calls([*linked.edges]) >= {("m.handed", Tier.STATIC), ("m.called", Tier.ARGUMENT)}


def test_a_link_that_is_cut_is_the_same_each_time() -> None:
    """Steps are counted, not timed."""
    first, second = (FlowLinker(JavaScriptSemantics()).link([unit(JavaScriptLanguage(), ENDLESS)]) for _ in range(2))

    assert first == second


def test_large_mappings_that_are_made_of_each_other_cost_no_sure_call() -> None:
    """What is copied out of a table is a matter of the tier that looks into it, and of no tier before."""
    table = "T = {" + ", ".join(f"'k{number}': f" for number in range(600)) + "}"
    made = [f"d{number} = dict(T)\nd{number}['k1']()" for number in range(600)]
    linked = FlowLinker(PythonSemantics()).link(
        [unit(PythonLanguage(), "\n".join(["def f(): pass", table, *made, "f()"]))]
    )

    assert linked.cut == (Tier.CONTAINER,)
    assert ("m.f", Tier.STATIC) in calls([*linked.edges])


def test_a_large_table_is_a_large_program() -> None:
    """What may be done grows with what is written out in one place as well."""
    table = "T = {" + ", ".join(f"'k{number}': f" for number in range(60_000)) + "}"
    linked = FlowLinker(PythonSemantics()).link([unit(PythonLanguage(), f"def f(): pass\n{table}\nT['k1']()")])

    assert linked.cut == ()
    assert calls([*linked.edges]) == {("m.f", Tier.CONTAINER)}


@pytest.mark.parametrize("count", [20, 80, 320])
def test_work_is_in_proportion_to_the_program(count: int) -> None:
    """Where each call of many leads to thousands, steps stay within the bound, whose last work may pass it a little."""
    engine = Engine(PythonSemantics())
    program = unit(PythonLanguage(), partials(count))
    world = engine.solve([program])

    assert engine.cut == (Tier.CONTAINER,)
    assert world.solver.steps < 1.1 * max(MIN_STEPS, STEPS * 20 * count)
    assert len(world.sites) < world.solver.steps / SITE_STEPS


def test_a_tier_has_half_of_what_is_left() -> None:
    """One that takes little leaves the rest to the next one; one that takes all of its share leaves the other half."""
    solver = Solver()
    bound = WorkBound(solver, MIN_STEPS)
    limits = []
    for tier, steps in ((Tier.STATIC, 0), (Tier.PROTOCOL, STEPS * MIN_STEPS), (Tier.CONTAINER, 0)):
        with bound.tier(tier):
            limits.append(solver.limit)
            solver.steps += steps

    assert limits[0] == limits[1] == STEPS * MIN_STEPS // 2
    assert limits[2] == STEPS * MIN_STEPS
    assert bound.met == [Tier.PROTOCOL]


def test_a_set_says_which_calls_may_be_missing() -> None:
    """What was cut is published with the counts, and goes out with them; sets of before have nothing to say."""
    counts = Counts(cut={"javascript": (Tier.CONTAINER, Tier.OVERRIDE)})
    time = datetime(2026, 1, 1, tzinfo=UTC)
    published = SnapshotSet("shop", "s", "", False, time, counts, (Layer("core", "a", 1),))
    message = snapshot_message(ListedSnapshot(published, current=True))
    old = json.loads(encode_set(published))
    del old["counts"]["cut"]

    assert decode_set(encode_set(published)) == published
    assert decode_set(json.dumps(old).encode()).counts == Counts()
    assert [(each.language, [*each.tiers]) for each in message.counts.cut] == [("javascript", [3, 6])]


@pytest.mark.parametrize(("looks", "cut"), [(10_000, ()), (5, (Tier.STATIC,))])
def test_names_are_taken_over_through_so_many_modules(looks: int, cut: tuple[Tier, ...]) -> None:
    """In circles of modules each reaches all others: those who ask last have their own names, and it is said."""
    texts = [
        f"from m{(number + 1) % 9} import *\ndef f{number}(): pass\nf{(number + 1) % 9}()\n" for number in range(9)
    ]
    language = PythonLanguage()
    engine = Engine(PythonSemantics())
    engine.world.stars = Stars(looks)
    world = engine.solve(
        [LinkUnit(f"m{at}", f"m{at}", language.parse(f"m{at}", f"m{at}", text)) for at, text in enumerate(texts)]
    )
    called = {function.name for site in world.sites for function in site.targets}

    assert engine.cut == cut
    assert (called == {f"f{number}" for number in range(9)}) is not bool(cut)


def test_modules_come_in_the_order_in_which_names_are_looked_for() -> None:
    """First the module itself, then the first that it names with all behind that one, each once."""
    a, b, c, d = (Module(number, name, f"{name}.py", is_package=False) for number, name in enumerate("abcd"))
    a.stars, b.stars, c.stars = [b, "elsewhere", c], [d, a], [d]

    assert [module.name for module in Stars().of(a)] == ["a", "b", "d", "c"]
    assert [module.name for module in Stars(1).of(a)] == ["a", "b"]
