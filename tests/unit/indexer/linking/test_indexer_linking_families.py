"""Dispatchers, `getattr(self, "visit_" + kind)`: which methods they may call, found without looking at all of them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.attributes import Attributes
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.values import Class, Family, qualified_name
from indexer.domain.linking.solver.world import Access, World
from indexer.domain.model import LinkUnit

# Twice the methods are to be twice the work; the square of it were four times.
MOST_GROWTH = 3.0


def one_dispatcher(number: int) -> str:
    """All methods dispatch to all of them, so that it is the same family everywhere."""
    return "class A:\n" + "".join(f" def v_{n}(self, k): getattr(self, 'v_' + k)()\n" for n in range(number))


def many_dispatchers(number: int) -> str:
    """Every method dispatches to those whose names start like its own."""
    return "class A:\n" + "".join(f" def v_{n}(self, k): getattr(self, 'v_{n}' + k)()\n" for n in range(number))


@pytest.mark.parametrize("program", [one_dispatcher, many_dispatchers])
def test_what_dispatchers_look_at_grows_with_their_number(program: Any) -> None:
    """Not with its square, be it one family or many."""
    few, many = (names_looked_at(program(number)) for number in (150, 300))

    assert many < MOST_GROWTH * few


def test_a_method_that_comes_later_belongs_to_the_family() -> None:
    """A family is looked for again once a class, or one below it, gets a member whose name starts so."""
    world = World(PythonSemantics())
    attributes = Attributes(world)
    base, below = (Class(0, 0, name, None, 0, 1) for name in ("Base", "Below"))
    below.order.append(base)
    base.subclasses.append(below)
    base.members["visit_b"] = world.solver.variable()
    family = Family(base.instance, "visit_")

    before = attributes.families.methods(family)
    attributes.store(Access(base, 9, "visit_a", world.solver.variable()), below)
    attributes.store(Access(base, 9, "other", world.solver.variable()), base)
    after = attributes.families.methods(family)

    assert before == [("b", attributes.of_instance(each, "visit_b")) for each in (base, below)]
    assert after == [*before, ("a", attributes.of_instance(below, "visit_a"))]


def names_looked_at(text: str) -> int:
    """Return how many names a link compares with a prefix."""
    units = [LinkUnit("m.py", "m", PythonLanguage().parse("m.py", "m", text))]
    looked = 0

    def count(_: FrameType, event: str, argument: Any) -> None:
        nonlocal looked
        looked += event == "c_call" and argument.__name__ == "startswith"

    sys.setprofile(count)
    try:
        sites = Engine(PythonSemantics()).solve(units).sites
    finally:
        sys.setprofile(None)
    assert any(qualified_name(target) == "m.A.v_7" for site in sites for target in site.targets)
    return looked
