"""What frameworks put into parameters: fixtures by name, dependencies by default or annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.python.frameworks import USING_FIXTURES
from indexer.domain.linking.solver.values import (
    Class,
    Container,
    Function,
    Injected,
    Instance,
    Literal,
    Registry,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Variable

    Use = tuple[Function, str, Variable, int]  # who uses a fixture, its name, what holds its value or -1, and where


def connect_dependencies(engine: Engine) -> None:
    """Let functions call what their parameters are said to depend on, with an edge where the dependency stands."""
    values = engine.world.solver.values
    for function in engine.world.functions:
        for parameter in function.parameters:
            if values[parameter]:
                for value in list(values[parameter]):
                    if isinstance(value, Injected):
                        _inject(engine, function, parameter, value)


def _inject(engine: Engine, function: Function, parameter: Variable, injected: Injected) -> None:
    injected.taken = True
    line = injected.line if injected.scope.unit == function.unit else function.line
    if injected.callee >= 0:
        _provide(engine, function, parameter, injected.callee, line)
        return
    for value in list(engine.world.solver.values[parameter]):  # `x: Class = Depends()`
        if isinstance(value, Instance):
            engine.calls.on(engine.world.site(function, line, -1), value.cls)


def connect_fixtures(engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
    """
    Let the parameters of tests and fixtures hold what the fixtures of their names give, with an edge to the fixture.

    A fixture of the same module comes first, then that of the nearest `conftest`. `usefixtures` and `getfixturevalue`
    name them too.
    """
    world = engine.world
    fixtures: dict[str, list[Function]] = {}
    for function in world.functions:
        if function.is_fixture:
            fixtures.setdefault(function.name, []).append(function)
    if not fixtures:
        return
    for function, name, variable, line in [*_named_by(named), *_marked(engine), *_asked_for(engine)]:
        chosen = _nearest(engine, function, fixtures.get(name, ()))
        if chosen is not None and chosen is not function:
            callee = world.solver.variable()
            world.solver.add(callee, chosen)
            _provide(engine, function, variable, callee, line)


def _named_by(parameters: Sequence[tuple[Function, str, Variable]]) -> Iterator[Use]:
    for function, name, variable in parameters:
        if function.is_fixture or function.name.startswith("test"):
            yield function, name, variable, function.line


def _marked(engine: Engine) -> Iterator[Use]:
    for _, decorator, decorated in engine.constraints.decorators.applied:
        for name in _names_used(engine, decorator):
            for function in _tests_in(engine, decorated):
                yield function, name, -1, function.line


def _asked_for(engine: Engine) -> Iterator[Use]:
    for site in list(engine.world.sites):
        if site.attribute == "getfixturevalue" and site.arguments and isinstance(site.scope, Function):
            for name in _literals(engine, site.arguments[0]):
                yield site.scope, name, site.result, site.line


def _names_used(engine: Engine, decorator: Variable) -> list[str]:
    """Return the names in `@pytest.mark.usefixtures("database", "client")`."""
    return [
        name
        for value in engine.world.solver.values[decorator]
        if isinstance(value, Registry) and value.name == USING_FIXTURES
        for name in _literals(engine, value.kept.rest)
    ]


def _literals(engine: Engine, variable: Variable) -> list[str]:
    values = engine.world.solver.values[variable] if variable >= 0 else ()
    return [str(value.value) for value in values if isinstance(value, Literal) and not value.is_prefix]


def _tests_in(engine: Engine, decorated: Variable) -> Iterator[Function]:
    """Give a decorated test, or the tests of a decorated class."""
    values = engine.world.solver.values
    for value in list(values[decorated]):
        if isinstance(value, Function):
            yield value
        elif isinstance(value, Class):
            members = [variable for name, variable in value.members.items() if name.startswith("test")]
            yield from (each for variable in members for each in list(values[variable]) if isinstance(each, Function))


def _provide(engine: Engine, function: Function, parameter: Variable, callee: Variable, line: int) -> None:
    """Let a function call what provides a parameter (-1 for none): its result, or what it yields."""
    solver = engine.world.solver
    result = -1
    if parameter >= 0:
        result = solver.variable()
        solver.watch(result, _provided, (engine, parameter))
    solver.watch(callee, engine.calls.on, engine.world.site(function, line, result))


def _provided(place: tuple[Engine, Variable], value: Value) -> None:
    engine, parameter = place
    if isinstance(value, Container) and value.function is not None:
        engine.world.solver.copy(value.every, parameter)
    else:
        engine.world.solver.add(parameter, value)


def _nearest(engine: Engine, function: Function, candidates: Sequence[Function]) -> Function | None:
    units = engine.world.units
    here = units[function.unit]
    assert here is not None
    best: tuple[int, Function] | None = None
    for candidate in candidates:
        module = units[candidate.unit]
        assert module is not None
        if candidate.unit == function.unit:
            return candidate
        folder = module.name.rpartition(".")[0]
        if module.name.rpartition(".")[2] == "conftest" and f"{here.name}.".startswith(f"{folder}." if folder else ""):
            rank = len(folder)
            if best is None or rank > best[0]:
                best = (rank, candidate)
    return best[1] if best else None
