"""The linker of one language: units in, edges out."""

from __future__ import annotations

import gc
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.calls import MAX_OVERRIDES
from indexer.domain.linking.program import NOTHING
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.values import (
    Class,
    Definition,
    External,
    Function,
    Method,
    Module,
    qualified_name,
    without_arity,
)
from indexer.domain.linking.tiers import CONFIDENCE, kept_foreign, kept_targets
from indexer.domain.model import Edge, EdgeKind, Linked, Resolution, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.domain.linking.semantics import Semantics
    from indexer.domain.linking.solver.value_sets import ValueSet
    from indexer.domain.linking.solver.values import Variable
    from indexer.domain.linking.solver.world import Site, World
    from indexer.domain.model import LinkUnit

MAX_MEANT = 3
_Import: TypeAlias = "tuple[Module, str]"
_Place: TypeAlias = "Variable | tuple[int, str]"
# Unit, line, symbol, kind, name of the target, tier, unit and symbol of the target (-1 without), resolution.
Row: TypeAlias = tuple[int, int, int, EdgeKind, str, Tier, int, int, Resolution]


class FlowLinker:
    """Links by the flow of values (see docs/linking.md)."""

    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics

    def link(self, units: Sequence[LinkUnit]) -> Linked:
        """
        Return edges, without repetitions, in order of source file, line and symbol.

        Args:
            units: All files, in order of path; those of other languages are skipped.

        Raises UnitsFailed.
        """
        collecting = gc.isenabled()
        gc.disable()  # millions of small objects live until the end, so looking for garbage only costs time
        try:
            engine = Engine(self._semantics)
            world = engine.solve(units)
            edges = _edges(engine)
            failed = world.solver.failures.reasons
            linked = Linked(edges, engine.cut, platform=self._semantics.platform, failed=failed)
            world.release()
            return linked
        finally:
            if collecting:
                gc.enable()


def _edges(engine: Engine) -> list[Edge]:
    """Make edges unit by unit, and drop the rows and sites of each unit at once, as these take more memory."""
    world = engine.world
    world.solver.settle()
    rows = Rows(world)
    sites: list[list[Site]] = [[] for _ in world.units]
    for site in world.sites:
        sites[site.scope.unit].append(site)
    world.sites.clear()
    found: list[set[Row]] = [set() for _ in world.units]
    for row in (*rows.annotated(), *rows.imports(engine), *rows.inheritance()):
        found[row[0]].add(row)
    edges = Edges()
    for unit, (own_sites, own_rows) in enumerate(zip(sites, found, strict=True)):
        with world.solver.failures.contained(unit):
            own_rows.update(rows.calls(own_sites), rows.references(own_sites))
            edges.extend(sorted(_of_copies(own_sites, own_rows)))
        own_rows.clear()
        own_sites.clear()
    return edges.made


def _of_copies(sites: Sequence[Site], rows: set[Row]) -> Iterable[Row]:
    """Merge the rows of copied code: keep the surest tier of each edge, drop unresolved calls that a copy resolves."""
    twins = [site for site in sites if site.is_copied]
    if not twins:
        return rows
    resolved = {(site.scope.symbol, site.line, site.written) for site in twins if site.is_resolved}
    surest: dict[tuple[object, ...], Row] = {}
    for row in rows:
        _, line, symbol, _, name, *_, resolution = row
        if resolution is not Resolution.UNRESOLVED or (symbol, line, name) not in resolved:
            key = (*row[:5], *row[6:])
            surest[key] = min(surest.get(key, row), row)
    return surest.values()


class Edges:
    """Makes edges from rows; edges share one tuple for each symbol, to save memory."""

    def __init__(self) -> None:
        self.made: list[Edge] = []
        self._ends: dict[tuple[int, int], tuple[int, int]] = {}

    def extend(self, rows: Iterable[Row]) -> None:
        """Add an edge for each row."""
        for unit, line, symbol, kind, name, tier, target_unit, target_symbol, resolution in rows:
            target = self._end(target_unit, target_symbol) if resolution is Resolution.RESOLVED else None
            confidence = 0.0 if resolution is Resolution.UNRESOLVED else CONFIDENCE[tier]
            self.made.append(Edge(self._end(unit, symbol), target, name, kind, line, confidence, tier, resolution))

    def _end(self, unit: int, symbol: int) -> tuple[int, int]:
        end = (unit, symbol)
        return self._ends.setdefault(end, end)


class Rows:
    """Reads the edges of a solved world, as rows that are quick to sort."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._names: dict[Definition, str] = {}

    def _resolved(self, scope: Definition, target: Definition, kind: EdgeKind, line: int, tier: Tier) -> Row:
        name = self._names.get(target)
        if name is None:
            name = self._names[target] = qualified_name(target)
        return scope.unit, line, scope.symbol, kind, name, tier, target.unit, target.symbol, Resolution.RESOLVED

    def calls(self, sites: Iterable[Site]) -> Iterator[Row]:
        """Yield the calls: of functions, of classes without a constructor, of external names, and unresolved ones."""
        for site in sites:
            scope, line = site.scope, site.line
            for function, tier in kept_targets(site).items() if site.targets else ():
                if not function.name.startswith("<"):  # lambdas are no symbols of their own
                    yield self._resolved(scope, function, EdgeKind.CALL, line, tier)
                for wrapped in _wrapped(function) if not site.eager else ():
                    yield self._resolved(scope, wrapped, EdgeKind.CALL, line, max(tier, Tier.PROTOCOL))
            for cls, tier in site.constructed.items() if site.constructed else ():
                yield self._resolved(scope, cls, EdgeKind.CALL, line, tier)
            for name, tier in kept_foreign(site).items() if site.foreign else ():
                if not name.endswith(">"):  # markers of adapters, such as that of getters, are not names in code
                    yield _foreign(scope, name, EdgeKind.CALL, line, tier)
            if site.written and not site.is_resolved and not site.is_copied:
                unresolved = Resolution.UNRESOLVED
                yield scope.unit, line, scope.symbol, EdgeKind.CALL, site.written, Tier.STATIC, -1, -1, unresolved

    def references(self, sites: Iterable[Site]) -> Iterator[Row]:
        """Yield references to functions and classes that are passed as arguments."""
        values = self._world.solver.values
        few = self._world.solver.sets.size  # a full set means an unknown value
        for site in sites:
            if site.written or site.eager:
                for variable in (*site.arguments, *(variable for _, variable in site.keywords)):
                    if variable >= 0 and 0 < len(values[variable]) < few:
                        for target in _meant(values[variable]):
                            yield self._resolved(site.scope, target, EdgeKind.REFERENCES, site.line, Tier.STATIC)

    def annotated(self) -> Iterator[Row]:
        """Yield references to the classes that annotations name."""
        for (scope, cls), line in self._world.references.items():
            if (scope.unit, scope.symbol) == (cls.unit, cls.symbol):
                continue  # within a class, `self` is one of its instances
            # The parameters of a record's constructor are written in the record's header, before the constructor.
            yield self._resolved(scope, cls, EdgeKind.REFERENCES, max(line, scope.line), Tier.STATIC)

    def imports(self, engine: Engine) -> Iterator[Row]:
        """Yield the target of each import: the module, or the definition of the name, in whichever file it is."""
        world = self._world
        passed: dict[_Place, list[_Import]] = {}
        for unit, *_, module, item, variable in engine.constraints.imports:
            if module is not None:
                for place in (variable, (unit.module.unit, item)):
                    passed.setdefault(place, []).append((module, item))
        for unit, scope_index, line, written, module, item, variable in engine.constraints.imports:
            scope = unit.definitions[scope_index]
            if module is None:  # values that other code assigns to the name are not imported
                yield _foreign(scope, written, EdgeKind.IMPORT, line)
                continue
            values = world.solver.values[variable]
            targets: list[Definition] = [value for value in values if isinstance(value, Module)]
            if not targets:
                owners = self._owners(module, item, passed)
                targets = [each for each in _meant(values) if not owners or each.unit in owners]
            for target in targets or [module]:
                yield self._resolved(scope, target, EdgeKind.IMPORT, line, Tier.STATIC)

    def _owners(self, module: Module, item: str, passed: Mapping[_Place, list[_Import]]) -> set[int]:
        """
        Return the units that define an imported name; empty if several files make up the module.

        The name may hold values that are defined in other units; the import has no edge to these.

        Args:
            passed: What each variable, and each (unit, name), that an import fills was imported from.
        """
        owners: set[int] = set()
        reached = [] if self._world.is_shared(module) else [(module, item)]
        for above, name in reached:
            for star in self._world.stars.of(above):
                variable = star.exports.get(name, star.exports.get(self._world.rules.whole_export, NOTHING))
                if variable not in passed and variable != NOTHING:
                    owners.add(star.unit)
                further = passed.get(variable) or passed.get((star.unit, name)) or []
                reached += [each for each in further if each not in reached]
        return owners

    def inheritance(self) -> Iterator[Row]:
        """Return the bases of classes."""
        for cls in self._world.classes:
            written = [list(self._world.solver.values[variable])[:2] for variable in cls.bases]
            seen = [[value for value in values if isinstance(value, Class | External)] for values in written]
            bases = list(chain.from_iterable(seen))
            if not all(seen):
                # The result of a decorator on a base may be unknown; it is nearly always the decorated class.
                bases += [parent for parent in cls.parents if parent not in bases]
            for value in bases:
                if isinstance(value, External):
                    yield _foreign(cls, value.name, EdgeKind.INHERITS, cls.line)
                elif value is not cls:
                    yield self._resolved(cls, value, EdgeKind.INHERITS, cls.line, Tier.STATIC)
        for interface in self._world.classes:
            for cls in interface.implicit if len(interface.implicit) <= MAX_OVERRIDES else ():
                yield self._resolved(cls, interface, EdgeKind.INHERITS, cls.line, Tier.PROTOCOL)


def _wrapped(function: Function) -> Iterator[Function]:
    """Yield the functions that a decorator's wrapper wraps, innermost last: a call of the wrapper calls them."""
    while function.wrapped is not None:
        function = function.wrapped
        yield function


def _foreign(scope: Definition, name: str, kind: EdgeKind, line: int, tier: Tier = Tier.STATIC) -> Row:
    name = without_arity(name.replace("<builtin>", "builtins"))
    return scope.unit, line, scope.symbol, kind, name, tier, -1, -1, Resolution.EXTERNAL


def _meant(values: ValueSet) -> list[Definition]:
    """Return the functions and classes among values; none if there are more than `MAX_MEANT`."""
    found: dict[Definition, None] = {}
    for value in values:
        target = value.function if isinstance(value, Method) else value
        if isinstance(target, Function | Class) and not target.name.startswith("<"):
            found[target] = None
    return list(found) if len(found) <= MAX_MEANT else []
