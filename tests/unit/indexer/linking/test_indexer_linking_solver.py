"""Value sets, shared targets and the solver: what is shared, what is full, what moves."""

from __future__ import annotations

import pytest

from indexer.domain.linking.solver.solver import MAX_COPIES, Solver
from indexer.domain.linking.solver.value_sets import MAX_FUNCTIONS, MAX_VALUES, Crowd, ValueSets
from indexer.domain.linking.solver.values import External, Function, Method, Value
from indexer.domain.linking.targets import MAX_SHARED, NO_TARGETS, SharedTargets
from indexer.domain.model import Tier


def values(count: int) -> list[Value]:
    return [External(f"library.{number}") for number in range(count)]


def function(name: str) -> Function:
    return Function(0, 0, name, None, 0, 1)


class Seen:
    """Remembers what a solver tells it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Value]] = []

    def react(self, argument: str, value: Value) -> None:
        self.calls.append((argument, value))


def test_equal_sets_are_one_object() -> None:
    """Sets that were made on different ways and hold the same in the same order are the same object."""
    sets = ValueSets()
    first, second = values(2)

    one = sets.with_value(sets.with_value((), first), second)
    other = sets.union(sets.with_value((), first), sets.with_value(sets.with_value((), first), second))

    assert one == (first, second)
    assert other is one


def test_a_full_set_takes_nothing() -> None:
    """A set takes the first values that come, and more plain functions than others."""
    sets = ValueSets()
    held: tuple[Value, ...] = ()
    for value in values(MAX_VALUES + 5):
        held = sets.with_value(held, value)
    functions: tuple[Value, ...] = ()
    for number in range(MAX_FUNCTIONS + 5):
        functions = sets.with_value(functions, function(str(number)))

    assert len(held) == MAX_VALUES
    assert len(functions) == MAX_FUNCTIONS


def test_a_lower_limit_is_for_what_comes_then() -> None:
    """A union that fitted before the limit fell is cut after it."""
    sets = ValueSets()
    more: tuple[Value, ...] = ()
    for value in values(5):
        more = sets.with_value(more, value)
    before = sets.union((), more)
    sets.limit_values(3)

    assert before == more
    assert sets.union((), more) == more[:3]


def test_a_lower_limit_of_functions_is_for_what_comes_then() -> None:
    """Sets take fewer plain functions from there on."""
    sets = ValueSets()
    sets.limit_functions(3)
    held: tuple[Value, ...] = ()
    for number in range(5):
        held = sets.with_value(held, function(str(number)))

    assert len(held) == 3


def test_sites_that_call_the_same_share_a_mapping() -> None:
    """A function is noted with the first tier that finds it, and equal steps give the same mapping."""
    targets = SharedTargets()
    one, other = function("one"), function("other")

    first = targets.with_target(targets.with_target(NO_TARGETS, one, Tier.STATIC), other, Tier.PROTOCOL)
    second = targets.with_target(targets.with_target(NO_TARGETS, one, Tier.STATIC), other, Tier.PROTOCOL)

    assert first is second
    assert first == {one: Tier.STATIC, other: Tier.PROTOCOL}
    assert targets.with_target(first, one, Tier.OVERRIDE) is first


def test_values_move_on_now_and_later() -> None:
    """Copies hold what their source holds before and after they are made, round a cycle too."""
    solver = Solver()
    first, second = values(2)
    one, two, three = solver.variable(), solver.variable(), solver.variable()
    solver.add(one, first)
    solver.copy(one, two)
    solver.copy(two, three)
    solver.copy(three, one)
    solver.add(three, second)
    solver.run()

    assert {frozenset(solver.values[variable]) for variable in (one, two, three)} == {frozenset((first, second))}


@pytest.mark.parametrize("expected", [(), (str,)], ids=["in pairs", "expected"])
def test_each_value_is_told_once(expected: tuple[type, ...]) -> None:
    """Whoever watches a variable is told of each value, whether it came before or after, and was expected or not."""
    solver, seen = Solver(), Seen()
    solver.expect(seen.react, *expected)
    first, second = values(2)
    variable, source = solver.variable(), solver.variable()
    solver.add(variable, first)
    solver.watch(variable, seen.react, "a")
    solver.copy(source, variable)
    solver.add(source, second)
    solver.watch(variable, seen.react, "b")
    solver.run()

    assert sorted((who, value is second) for who, value in seen.calls) == [
        ("a", False), ("a", True), ("b", False), ("b", True),
    ]  # fmt: skip


def test_sets_are_cut_where_everything_flows_everywhere() -> None:
    """Where values are copied far more often than there are variables, variables take only a few from there on."""
    solver = Solver()
    hub = solver.variable()
    source = solver.variable()
    solver.copy(source, hub)
    for _ in range(10 * MAX_COPIES):
        solver.copy(hub, solver.variable())
    for value in values(MAX_VALUES):
        solver.add(source, value)
        solver.run()

    assert len(solver.values[hub]) < MAX_VALUES


def test_what_is_seen_grows_beyond_a_set() -> None:
    """All values of a call with any number of them are kept in order, and the first receiver of each function."""
    sets = ValueSets()
    one = function("one")
    methods: list[Value] = [Method(one, receiver) for receiver in values(3 * MAX_FUNCTIONS)]
    seen: tuple[Value, ...] | Crowd = ()
    for value in methods:
        seen = sets.seen(seen, value)

    assert [*seen] == methods
    assert methods[-1] in seen
    assert one not in seen
    assert isinstance(seen, Crowd)
    assert seen.receivers == {one: methods[0].receiver}  # type: ignore[attr-defined]  # a method


def test_many_targets_belong_to_one_site() -> None:
    """A mapping grows as long as few share it; a large one is its site's own, and the smaller ones stay as they are."""
    targets = SharedTargets()
    functions = [function(str(number)) for number in range(2 * MAX_SHARED)]
    first, second = NO_TARGETS, NO_TARGETS
    for each in functions:
        first = targets.with_target(first, each, Tier.CONTAINER)
    for each in functions[:MAX_SHARED]:
        second = targets.with_target(second, each, Tier.CONTAINER)

    assert [*first] == functions
    assert [*second] == functions[:MAX_SHARED]
