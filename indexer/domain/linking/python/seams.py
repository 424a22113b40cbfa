"""Frameworks that call by name: pytest fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.values import Function, Variable


def connect_fixtures(engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
    """
    Let the parameters of tests and fixtures hold what the fixtures of their names give, with an edge to the fixture.

    A fixture of the same module comes first, then that of the nearest `conftest`.
    """
    world = engine.world
    fixtures: dict[str, list[Function]] = {}
    for function in world.functions:
        if function.is_fixture:
            fixtures.setdefault(function.name, []).append(function)
    if not fixtures:
        return
    for function, name, variable in named:
        if name in fixtures and (function.is_fixture or function.name.startswith("test")):
            chosen = _nearest(engine, function, fixtures[name])
            if chosen is not None and chosen is not function:
                engine.calls.on(world.site(function, function.line, variable), chosen)


def _nearest(engine: Engine, function: Function, candidates: list[Function]) -> Function | None:
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
