"""The linker of one language: units in, edges out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.engine import Engine
from indexer.domain.linking.tiers import CONFIDENCE, kept_targets
from indexer.domain.linking.values import Class, Definition, External, Function, Method, Module, Value, qualified_name
from indexer.domain.model import Edge, EdgeKind, Resolution, Tier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.linking.semantics import Semantics
    from indexer.domain.linking.world import World
    from indexer.domain.model import LinkUnit

MAX_IMPORT_TARGETS = 3


class FlowLinker:
    """Links by the flow of values (see docs/linking.md)."""

    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics

    def link(self, units: Sequence[LinkUnit]) -> Sequence[Edge]:
        """
        Return all edges, without repetitions, in order of source file, line and symbol.

        Args:
            units: All files, in order of path; those of other languages are skipped.
        """
        engine = Engine(self._semantics)
        world = engine.solve(units)
        found: dict[Edge, None] = {}
        for edges in (_calls(world), _references(world), _imports(engine), _inheritance(world)):
            found.update(dict.fromkeys(edges))
        return sorted(found, key=_position)


def _position(edge: Edge) -> tuple[int, int, int, int, str, int, tuple[int, int]]:
    unit, symbol = edge.source
    return unit, edge.line, symbol, edge.kind, edge.target_name, edge.tier, edge.target or (-1, -1)


def _place(definition: Definition) -> tuple[int, int]:
    return definition.unit, definition.symbol


def _resolved(scope: Definition, target: Definition, kind: EdgeKind, line: int, tier: Tier) -> Edge:
    name = qualified_name(target)
    return Edge(_place(scope), _place(target), name, kind, line, CONFIDENCE[tier], tier, Resolution.RESOLVED)


def _foreign(scope: Definition, name: str, kind: EdgeKind, line: int) -> Edge:
    name = name.replace("<builtin>", "builtins")
    return Edge(_place(scope), None, name, kind, line, CONFIDENCE[Tier.STATIC], Tier.STATIC, Resolution.EXTERNAL)


def _calls(world: World) -> Iterator[Edge]:
    for site in world.sites:
        for function, tier in kept_targets(site).items():
            if not function.name.startswith("<lambda"):  # lambdas are no symbols of their own
                yield _resolved(site.scope, function, EdgeKind.CALL, site.line, tier)
        for cls, tier in site.constructed.items():
            yield _resolved(site.scope, cls, EdgeKind.CALL, site.line, tier)
        for name in site.foreign:
            yield _foreign(site.scope, name, EdgeKind.CALL, site.line)
        if site.written and not site.targets and not site.constructed and not site.foreign:
            yield Edge(
                _place(site.scope),
                None,
                site.written,
                EdgeKind.CALL,
                site.line,
                0.0,
                Tier.STATIC,
                Resolution.UNRESOLVED,
            )


def _references(world: World) -> Iterator[Edge]:
    """What is handed over without being called, and what annotations name."""
    values = world.solver.values
    for site in world.sites:
        if site.written or site.eager:
            for variable in (*site.arguments, *(variable for _, variable in site.keywords)):
                if variable >= 0:
                    for target in _definitions(values[variable]):
                        yield _resolved(site.scope, target, EdgeKind.REFERENCES, site.line, Tier.STATIC)
    for (scope, cls), line in world.references.items():
        yield _resolved(scope, cls, EdgeKind.REFERENCES, line, Tier.STATIC)


def _definitions(values: dict[Value, None]) -> list[Definition]:
    """Give functions and classes among values, unless there are so many that none is meant."""
    found: dict[Definition, None] = {}
    for value in values:
        target = value.function if isinstance(value, Method) else value
        if isinstance(target, Function | Class) and not target.name.startswith("<lambda"):
            found[target] = None
    return list(found) if len(found) <= MAX_IMPORT_TARGETS else []


def _imports(engine: Engine) -> Iterator[Edge]:
    world = engine.world
    for unit, scope_index, line, written, variable in engine.constraints.imports:
        scope = unit.definitions[scope_index]
        values = world.solver.values[variable]
        targets: list[Definition] = [value for value in values if isinstance(value, Module)] or _definitions(values)
        if not targets:
            module = world.semantics.find_module(written.rpartition(".")[0], unit.module, world.modules)
            targets = [module] if module is not None else []
        for target in targets:
            yield _resolved(scope, target, EdgeKind.IMPORT, line, Tier.STATIC)
        if not targets:
            yield _foreign(scope, written, EdgeKind.IMPORT, line)


def _inheritance(world: World) -> Iterator[Edge]:
    for cls in world.classes:
        for variable in cls.bases:
            for value in list(world.solver.values[variable])[:2]:
                if isinstance(value, Class) and value is not cls:
                    yield _resolved(cls, value, EdgeKind.INHERITS, cls.line, Tier.STATIC)
                elif isinstance(value, External):
                    yield _foreign(cls, value.name, EdgeKind.INHERITS, cls.line)
