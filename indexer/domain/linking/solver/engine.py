"""The engine: solves the flow of values in tiers, the surest first; the result is the targets of every call site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.failures import Failures
from indexer.domain.linking import program as op
from indexer.domain.linking.attributes import Attributes
from indexer.domain.linking.calls import Calls
from indexer.domain.linking.classes.copies import Copies
from indexer.domain.linking.classes.protocols import Protocols
from indexer.domain.linking.loading import load
from indexer.domain.linking.solver.constraints import Constraints
from indexer.domain.linking.solver.containers import Containers
from indexer.domain.linking.solver.values import (
    Class,
    Family,
    Function,
    Instance,
    Literal,
    Super,
    Value,
)
from indexer.domain.linking.solver.work_bound import WorkBound
from indexer.domain.linking.solver.world import World, bound
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.loading import Loaded
    from indexer.domain.linking.semantics import Semantics
    from indexer.domain.linking.solver.world import Site
    from indexer.domain.linking.targets import Targets
    from indexer.domain.model import LinkUnit

_AS_COLLECTIONS_HAVE = frozenset(
    ("__call__", "__iter__", "__next__", "__aiter__", "__anext__", "__getitem__", "__setitem__", "__delitem__")
)
"""Names of methods that builtin collections and functions have as well."""


class Engine:
    """One link of one language."""

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics
        self.world = World(semantics)
        self.attributes = Attributes(self.world)
        self.containers = Containers(self)
        self.calls = Calls(self)
        self.attributes.calls = self.calls
        self.protocols = Protocols(self.world, self.attributes, self.calls, self.containers)
        self.constraints = Constraints(self)
        self.copies = Copies(self.world, self.constraints)
        self.nothing = self.world.solver.variable()
        self._literals: dict[tuple[type, object, bool], Literal] = {}
        self._wrappers: dict[tuple[Function, Function], Function] = {}
        self._families: dict[tuple[Instance, str], Family] = {}
        self._supers: dict[tuple[Class, Value], Super] = {}
        # Tiers whose results may be incomplete, because the work bound was reached or a step failed.
        self.cut: tuple[Tier, ...] = ()

    def literal(self, value: object, *, is_prefix: bool) -> Literal:
        """Return the value of a constant; the same object for the same constant."""
        return self._literals.setdefault((value.__class__, value, is_prefix), Literal(value, is_prefix))

    def super_of(self, cls: Class, receiver: Value) -> Super:
        """Return the value of `super(cls, receiver)`; the same object for equal arguments."""
        return self._supers.setdefault((cls, receiver), Super(cls, receiver))

    def wrapper_of(self, wrapper: Function, wrapped: Function) -> Function:
        """
        Return the variant of a decorator's wrapper for one wrapped function: same code, one object for each function.

        If the wrapper takes `*args`, its result is that of the wrapped function; else its own.
        """
        found = self._wrappers.get((wrapper, wrapped))
        if found is None:
            wrapper.is_wrapper = True
            found = Function(wrapper.unit, wrapper.scope, wrapper.name, wrapper.owner, wrapper.symbol, wrapper.line)
            found.parameters, found.positional, found.names = wrapper.parameters, wrapper.positional, wrapper.names
            found.variadic, found.keyword, found.generator = wrapper.variadic, wrapper.keyword, wrapped.generator
            found.is_property, found.flags = wrapped.is_property, wrapped.flags & (op.IS_STATIC | op.IS_CLASS_METHOD)
            found.result = wrapper.result if wrapper.variadic is None else wrapped.result
            found.wrapped = wrapped
            self._wrappers[wrapper, wrapped] = found
        return found

    def family(self, receiver: Instance, prefix: str) -> Family:
        """Return the family of a class's methods with a prefix; the same object for equal arguments."""
        return self._families.setdefault((receiver, prefix), Family(receiver, prefix))

    def solve(self, units: Sequence[LinkUnit]) -> World:
        """Link units, which come in order of path. Fast only while garbage collection is off. Raises UnitsFailed."""
        world = self.world
        loaded = load(world, units)
        self.copies.load(loaded)
        world.later(Tier.ARGUMENT, self.calls.arguments.hand_in_all)  # first, as keys are looked up in parameters then
        self._seed_receivers()
        work_bound = WorkBound(world.solver, sum(unit.size for unit in loaded))
        with work_bound.tier(Tier.STATIC):
            self._install(loaded)
        with work_bound.tier(Tier.PROTOCOL):
            world.advance(Tier.PROTOCOL)
        with work_bound.tier(Tier.CONTAINER):
            world.advance(Tier.CONTAINER)
        with work_bound.tier(Tier.ARGUMENT):
            self.calls.arguments.note_declared()
            world.advance(Tier.ARGUMENT)
            self._undecorate()
            for site in list(world.sites):
                self.calls.override_unmade(site)
            world.solver.run()
        with work_bound.tier(Tier.UNIQUE_NAME):
            world.advance(Tier.UNIQUE_NAME)
            for _ in range(2):
                self._guess_by_name()
                world.solver.run()
        with work_bound.tier(Tier.OVERRIDE):
            world.advance(Tier.OVERRIDE)
        unfollowed = () if world.stars.left else (Tier.STATIC,)
        self.cut = tuple(sorted({*work_bound.met, *unfollowed}))
        self._promote()
        return world

    def _install(self, loaded: Sequence[Loaded]) -> None:
        world = self.world
        failures = Failures()
        for unit in loaded:
            with failures.contained(unit.module.unit):
                self.constraints.install(unit)
        failures.require_none()
        world.solver.run()
        self._undecorate()
        for cls in world.classes:
            world.later(Tier.PROTOCOL, self.protocols.define_class, cls)
        world.later(Tier.PROTOCOL, self.semantics.connect, self, self.constraints.named)

    def _seed_receivers(self) -> None:
        """Let the first parameter of a method hold an instance of its class, or the class itself."""
        for function in self.world.functions:
            holder = function.holder
            if holder is None or not function.parameters or not function.positional:
                continue
            if function.flags & op.IS_STATIC:
                if function.name == "__new__":
                    self.world.solver.add(function.parameters[0], holder)
            elif function.flags & op.IS_CLASS_METHOD:
                self.world.solver.add(function.parameters[0], holder)
            else:
                self.world.solver.add(function.parameters[0], holder.instance)

    def _undecorate(self) -> None:
        """
        Let an unknown decorator return the decorated function.

        Decorators without any known value are handled first: others may decorate their results.
        """
        solver = self.world.solver
        for only_unknown in (True, False):
            for result, decorator, decorated in self.constraints.decorators.applied:
                if not solver.values[result] and not (only_unknown and solver.values[decorator]):
                    solver.copy(decorated, result)
            solver.run()

    def _guess_by_name(self) -> None:
        """Let calls on unknown receivers call the method of that name if only one class has one."""
        world, values = self.world, self.world.solver.values
        for site in list(world.sites):
            if site.targets or not site.attribute or site.receiver < 0 or values[site.callee]:
                continue
            if not values[site.receiver]:
                self.semantics.call_unknown(self, site)
            name = site.attribute.partition("(")[0]
            candidates = world.methods.get(name, ())
            if len(candidates) != 1 or world.rules.is_ubiquitous(name):
                continue
            if any(not isinstance(value, Instance) for value in values[site.receiver]):
                continue
            function = candidates[0]
            if function.holder is not None and not function.is_property:
                world.solver.add(site.callee, self._as_member(function, function.holder))

    def _promote(self) -> None:
        """
        Set the final targets and tiers of all sites, when all values are known.

        Where a site only calls methods of instances of subclasses, these do not override anything and get a surer tier.
        Calls that do not name a method (by an operator, a loop, an index, or of an object) rarely call a method that
        is found through arguments or a guess: most iterated, indexed or called values are builtin ones, which the
        linker does not see.
        """
        implemented = self._implemented()
        settled: dict[tuple[int, bool, bool], tuple[Targets, Targets]] = {}  # sites share targets
        has_abstract = any(function.flags & op.IS_ABSTRACT for function in self.world.functions)
        overloads = self.calls.overloads
        if overloads is not None:
            overloads.note_results()
        for site in self.world.sites:
            if has_abstract and any(function.flags & op.IS_ABSTRACT for function in site.targets):
                self._leave_out_abstract(site, implemented)
            if overloads is not None and len(site.targets) > 1:
                overloads.settle(site)
            key = (id(site.targets), bool(site.methods), self._is_sole(site))
            found = settled.get(key)
            if found is None:
                found = settled[key] = (site.targets, _settled(site.targets, is_operator=key[1], is_sole=key[2]))
            site.targets = found[1]

    def _is_sole(self, loop: Site) -> bool:
        """Return whether all receivers of a site are instances of one class; True if its targets have no limit."""
        if loop.wide:
            return True
        held = self.world.solver.values[loop.receiver] if loop.receiver >= 0 else ()
        classes = {value.cls.original if isinstance(value, Instance) else None for value in held}
        return len(classes) == 1 and None not in classes

    def _leave_out_abstract(self, site: Site, implemented: set[Function]) -> None:
        """Remove abstract methods from the targets of a site if it has concrete targets, or if they are implemented."""
        concrete = {function: tier for function, tier in site.targets.items() if not function.flags & op.IS_ABSTRACT}
        site.targets = concrete or {
            function: tier for function, tier in site.targets.items() if function not in implemented
        }

    def _implemented(self) -> set[Function]:
        """Return the abstract methods that some class of the project implements; they never run themselves."""
        found: set[Function] = set()
        holders = {each.holder: None for each in self.world.functions if each.flags & op.IS_ABSTRACT}
        for holder in holders:
            if holder is not None:
                found |= self._implemented_of(holder)
        return found

    def _implemented_of(self, holder: Class) -> set[Function]:
        values, found = self.world.solver.values, set()
        wanted: dict[str, list[Function]] = {}
        for name, slot in holder.members.items():
            own = [each for each in values[slot] if isinstance(each, Function) and each.holder is holder]
            if abstract := [each for each in own if each.flags & op.IS_ABSTRACT]:
                wanted[name] = abstract
        for below in holder.subclasses:
            if not wanted:
                break
            for name in wanted.keys() & below.members.keys():
                found.update(wanted.pop(name))
        return found

    def _as_member(self, function: Function, holder: Class) -> Value:
        if function.flags & op.IS_STATIC:
            return function
        if function.flags & op.IS_CLASS_METHOD:
            return bound(function, holder)
        return bound(function, holder.instance)


def _settled(targets: Targets, *, is_operator: bool, is_sole: bool) -> Targets:
    if not is_operator and set(targets.values()) == {Tier.OVERRIDE}:
        targets = dict.fromkeys(targets, Tier.ARGUMENT)
    if is_sole:
        return targets
    return {
        function: Tier.OVERRIDE
        if tier >= Tier.ARGUMENT and (is_operator or function.name in _AS_COLLECTIONS_HAVE)
        else tier
        for function, tier in targets.items()
    }
