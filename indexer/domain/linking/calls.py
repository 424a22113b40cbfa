"""Resolves calls: the functions that run when a value is called, and the flow of arguments and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.domain.linking.arguments import Arguments
from indexer.domain.linking.program import IS_ABSTRACT, IS_STATIC, IS_STUB
from indexer.domain.linking.solver.values import (
    Class,
    ContainerMethod,
    External,
    Family,
    Function,
    Instance,
    Method,
    Partial,
    Registrar,
    Super,
    Value,
    is_below,
)
from indexer.domain.linking.solver.world import CallSite, PartialSite, Site, WideCall, WideSite, bound
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from indexer.domain.linking.solver.engine import Engine

# A call with more possible targets than these limits is taken as unknown and gets no further edges.
MAX_TARGETS = 12
MAX_OPERATIONS = 4
MAX_PARTIALS = 3
MAX_FOREIGN_OVERRIDES = 4
MAX_OVERRIDES = 40


class Calls:
    """Resolves what sites call, value by value."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._world = engine.world
        self._solver = engine.world.solver
        self._attributes = engine.attributes
        self.arguments = Arguments(engine.world, engine.containers)
        self.overloads = engine.semantics.overloads(engine.world)
        self._classes: dict[str, list[Class]] = {}
        self._solver.expect(self.on, Site, CallSite, WideSite, WideCall, PartialSite)
        self._others: dict[type[Value], tuple[Tier, Callable[[Site, Any], None]]] = {
            ContainerMethod: (Tier.CONTAINER, engine.containers.call),
            Partial: (Tier.CONTAINER, self._call_partial),
            Family: (Tier.CONTAINER, self._call_family),
            Registrar: (Tier.PROTOCOL, self._register),
        }

    def on(self, site: Site, value: Value) -> None:
        """Handle a value that is called at a site."""
        if value in site.seen:
            return
        site.seen = self._solver.sets.seen(site.seen, value)
        kind = value.__class__
        if kind is Method:
            self.invoke(site, value.function, value.receiver)  # type: ignore[attr-defined]  # a bound method
        elif kind is Function:
            self.invoke(site, value, None)  # type: ignore[arg-type]  # a function
        elif kind is Class:
            self._construct(site, value)  # type: ignore[arg-type]  # a class
        elif kind is External:
            self._call_foreign(site, value.name)  # type: ignore[attr-defined]  # something external
        elif kind is Instance:
            self._world.later(Tier.PROTOCOL, self.call_method, site, value, "__call__")
        elif (later := self._others.get(kind)) is not None:
            self._world.later(later[0], later[1], site, value)

    def invoke(self, site: Site, function: Function, receiver: Value | None) -> None:
        """Handle a function that is called at a site; `receiver` is its first argument if it is bound."""
        if self.overloads is not None and function.types:
            meant = self.overloads.meant(site, function)
            for other in meant if function not in meant else ():
                self.invoke(site, other, receiver)
            if function not in meant:
                return
        if not self._target(site, function):
            return
        if function.flags & IS_STUB or (function.flags & IS_ABSTRACT and self._is_open(site, function, receiver)):
            self._world.later(Tier.PROTOCOL, self._override, site, function, receiver)
        if receiver is None and function.holder is not None and self._world.rules.functions_are_objects:
            self._dispatch(site, function)
        self._pass_through(site, function, receiver)
        if site.eager:
            self.arguments.hand_in(site, function, function, receiver)
        if self._world.tier >= Tier.ARGUMENT:
            self.arguments.hand_in_late(site, function, receiver)

    def _target(self, site: Site, function: Function) -> bool:
        """Record a function as target of a site; return False if the site has too many targets."""
        targets = site.targets
        if function in targets:
            return True
        twin, function = function, function.original
        if site.methods and len(targets) >= MAX_OPERATIONS:
            return False
        is_limited = function.holder is not None and not site.wide and self._world.tier != Tier.STATIC
        if is_limited and len(targets) > MAX_TARGETS and hooks(targets) > MAX_TARGETS:
            return False
        site.targets = self._world.targets.with_target(targets, function, self._world.tier)
        if site.result >= 0:
            if twin.generator is not None:
                self._solver.add(site.result, twin.generator)
            self._solver.copy(twin.result, site.result)
        return True

    def _override(self, site: Site, function: Function, receiver: Value | None) -> None:
        """Let a call of a method that is meant to be overridden call its overrides."""
        name = function.name
        cls = receiver.cls if isinstance(receiver, Instance) else function.holder
        if function.holder is not None and function.holder.is_structural:
            cls = function.holder  # a struct that embeds an interface may contain any of its implementations
        if cls is None or site.methods or name.startswith("__"):
            return
        if site.receiver >= 0 and _has_super(self._solver.values[site.receiver]):
            return
        attribute = site.attribute if "(" in site.attribute else name
        found = cls.subclasses if cls.implicit else self._attributes.overrides.below(cls, attribute)
        if len(found) <= (MAX_OVERRIDES if self._is_own(site) else MAX_FOREIGN_OVERRIDES):
            self._call_each(site, found, attribute)
        elif cls.implicit and len(found) <= MAX_OVERRIDES:
            self._world.later(Tier.ARGUMENT, self._call_each, site, found, attribute)

    def override_unmade(self, site: Site) -> None:
        """
        Let a call of a method of `self` call the overrides if only instances of subclasses are created.

        This also holds for a method that the class itself lacks, and for methods that operators call.
        """
        holder = site.scope.holder if isinstance(site.scope, Function) and self._world.rules.is_late_bound else None
        if holder is None:
            return
        if site.attribute:
            if self._is_own(site):
                self._run_overrides(site, holder, site.attribute)
        elif site.targets and holder not in self._world.constructed and not site.wide:
            for name in {each.name: None for each in site.targets if each.holder in holder.order}:
                self._run_overrides(site, holder, name)

    def _run_overrides(self, site: Site, holder: Class, name: str) -> None:
        is_missing = not site.is_resolved and self._is_missing(holder, name)
        if holder in self._world.constructed and not is_missing:
            return
        below = self._attributes.overrides.below(holder, name)
        found = [cls for cls in below if self._is_made(cls)] or (below if is_missing else ())
        if len(found) <= MAX_OVERRIDES:
            self._call_each(site, found, name)

    def _is_missing(self, cls: Class, name: str) -> bool:
        has_it = any(name in each.own or name in each.members for each in cls.order)
        return not has_it and all(map(self._world.rules.is_opaque, cls.foreign))

    def _is_made(self, cls: Class) -> bool:
        return not self._world.constructed.isdisjoint((cls, *cls.subclasses))

    def _call_each(self, site: Site, found: Sequence[Class], attribute: str) -> None:
        inner = self._wide(site)
        for below in found:
            self._solver.watch(self._attributes.of_instance(below, attribute), self.on, inner)

    def _dispatch(self, site: Site, function: Function) -> None:
        """Resolve a method that is called unbound, such as `Shape::area`, by the class of its first argument."""
        if not function.flags & IS_STATIC and site.arguments and site.arguments[0] >= 0:
            place = (function, self._world.site(site.scope, site.line, site.result, site.arguments[1:]))
            self._world.later(Tier.PROTOCOL, self._solver.watch, site.arguments[0], self._dispatch_on, place)

    def _dispatch_on(self, place: tuple[Function, Site], value: Value) -> None:
        function, site = place
        holder = function.holder
        assert holder is not None
        if isinstance(value, Instance) and value.cls is not holder and is_below(value.cls, holder):
            self.call_method(site, value, f"{function.name}({function.positional - 1})")

    def _wide(self, site: Site) -> Site:
        """
        Return a site without limit of targets for the same call: a new one, or the site itself if it is one.

        Reusing the site ends recursion: a target may lead to the same site again, for example a method of a base that
        is set on instances of a subclass, but a site handles each value only once.
        """
        if site.wide:
            return site
        wide = WideCall(site.scope, site.line, site.result, site.arguments, site.keywords)
        wide.given = site.given
        return self._world.placed(wide)

    def _is_open(self, site: Site, function: Function, receiver: Value | None) -> bool:
        """Return whether an abstract method is called on `self`, or on an instance of a class that inherits it."""
        inherited = isinstance(receiver, Instance) and receiver.cls is not function.holder
        return inherited or self._is_own(site)

    def _is_own(self, site: Site) -> bool:
        """Return whether the receiver of a site is the first parameter (`self`) of the enclosing method."""
        scope = site.scope
        if not isinstance(scope, Function) or scope.holder is None or scope.flags & IS_STATIC:
            return False
        return scope.parameters[:1] == [site.receiver]

    def _pass_through(self, site: Site, function: Function, receiver: Value | None) -> None:
        """Let arguments that a function returns unchanged flow to the result of this call, not of all its calls."""
        if site.result < 0:
            return
        for position in function.passed:
            place = position
            if receiver is not None:
                if position == 0:
                    self._solver.add(site.result, receiver)
                    continue
                place -= 1
            if place < len(site.arguments) and position < function.positional:
                if site.arguments[place] >= 0:
                    self._solver.copy(site.arguments[place], site.result)
            else:
                for name, variable in site.keywords:
                    if variable >= 0 and function.names.get(name) == position:
                        self._solver.copy(variable, site.result)

    def _construct(self, site: Site, cls: Class) -> None:
        """Create an instance of a class, and call `__new__`, `__init__` and the like where the project defines them."""
        attributes, solver = self._attributes, self._solver
        self._world.constructed.add(cls)
        original, cls = cls, self._engine.copies.of(site, cls)
        self._world.give(site, cls.instance)
        maker = attributes.find(cls, "__new__")
        if maker is not None:
            solver.watch(maker[1], self.on_class, (site, cls))
        by_arity = f"__init__({len(site.arguments)})"
        constructor = by_arity if attributes.find(cls, by_arity) is not None else "__init__"
        if attributes.find(cls, constructor) is not None:
            solver.watch(attributes.of_instance(cls, constructor), self.on, site)
        else:
            site.constructed = {**site.constructed, original: self._world.tier}
            self._world.later(Tier.ARGUMENT, self._fill_fields, site, cls)
        if attributes.find(cls, "__post_init__") is not None:
            watched = attributes.of_instance(cls, "__post_init__")
            self._world.later(Tier.PROTOCOL, solver.watch, watched, self.on, site)
        metaclass = attributes.metaclass(cls)
        if metaclass is not None and (member := attributes.find(metaclass, "__call__")) is not None:
            solver.watch(member[1], self.on_class, (site, cls))

    def on_class(self, place: tuple[Site, Class], value: Value) -> None:
        """Handle a function that is called at a site with a class as its first argument."""
        if isinstance(value, Function):
            self.on(place[0], bound(value, place[1]))

    def _fill_fields(self, site: Site, cls: Class) -> None:
        fields = [name for ancestor in reversed(cls.order) for name in ancestor.fields]
        given = [*zip(fields, site.arguments, strict=False), *site.keywords]
        for name, variable in given:
            if variable >= 0 and name in fields:
                self._solver.copy(variable, self._attributes.own(cls, name))

    def call_method(self, site: Site, owner: Instance, name: str) -> bool:
        """Call a method of an instance; return whether its class has it."""
        found = self._attributes.find(owner.cls, name) is not None
        if found:
            self._solver.watch(self._attributes.of_instance(owner.cls, name), self.on, site)
        elif isinstance(site.scope, Function) and site.scope.holder is owner.cls:
            self._call_each(site, self._attributes.overrides.below(owner.cls, name)[:MAX_OPERATIONS], name)
        return found

    def _call_partial(self, site: Site, value: Partial) -> None:
        if site.depth > MAX_PARTIALS:
            return
        arguments, keywords = value.arguments + site.arguments, value.keywords + site.keywords
        inner = self._world.placed(PartialSite(site.scope, site.line, site.result, arguments, keywords))
        inner.depth = site.depth + 1
        self._solver.watch(value.callee, self.on, inner)

    def _register(self, site: Site, value: Registrar) -> None:
        """Let a function call the functions that are registered with it; a call with options returns a decorator."""
        if not site.eager:
            self._world.give(site, value)
        inner = self._world.site(value.function, value.function.line, -1)
        for variable in site.arguments:
            if variable >= 0:
                self._solver.watch(variable, self._run_registered, inner)

    def _run_registered(self, site: Site, value: Value) -> None:
        if isinstance(value, Function | Method):
            self.on(site, value)

    def _call_family(self, site: Site, value: Family) -> None:
        """
        Call every method of the family; a dispatcher has many targets, all of them right.

        A method that is named for a class, such as `visit_Name`, gets only instances of that class.
        """
        inner = self._wide(site)
        for name, method in self._attributes.families.methods(value):
            named = self._named_class(name)
            self._solver.watch(method, self.on, inner if named is None else self._visiting(site, named))

    def _named_class(self, name: str) -> Class | None:
        if not self._classes:
            for cls in self._world.classes:
                self._classes.setdefault(cls.name, []).append(cls)
        found = self._classes.get(name.lstrip("_"), ())
        return found[0] if len(found) == 1 else None

    def _visiting(self, site: Site, cls: Class) -> Site:
        given = site.arguments
        if given and given[0] >= 0:
            variable = self._solver.variable()
            self._solver.add(variable, cls.instance)
            given = (variable, *given[1:])
        return self._world.placed(WideSite(site.scope, site.line, site.result, given, site.keywords))

    def _call_foreign(self, site: Site, name: str) -> None:
        self._world.note_foreign(site, name)
        modelled = self._engine.semantics.call_foreign(self._engine, site, name)
        # An instance of an external class is known by the name of the class; the result of a function is unknown.
        if not modelled and name.rpartition(".")[2][:1].isupper():
            self._world.give(site, self._world.external(name))


def hooks(functions: Iterable[Function]) -> int:
    """Count methods; methods of one name in classes with the same root class, which override each other, count once."""
    return len({(each.name, each.holder.order[-1]) for each in functions if each.holder is not None})


def _has_super(values: Iterable[Value]) -> bool:
    return any(isinstance(value, Super) for value in values)
