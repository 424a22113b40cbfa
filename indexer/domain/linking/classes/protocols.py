"""Protocol methods: what `for`, `with`, operators and class statements call without a visible call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.program import MAPPING
from indexer.domain.linking.solver.values import Class, Container, External, Function, Instance, Value, Variable
from indexer.domain.linking.solver.world import LoopSite, OperatorSite
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.attributes import Attributes
    from indexer.domain.linking.calls import Calls
    from indexer.domain.linking.solver.containers import Containers
    from indexer.domain.linking.solver.world import Site, World

_HASHED_BY = ("__hash__", "__eq__")


class Protocols:
    """Calls protocol methods."""

    def __init__(self, world: World, attributes: Attributes, calls: Calls, containers: Containers) -> None:
        self._world = world
        self._solver = world.solver
        self._attributes = attributes
        self._calls = calls
        self._containers = containers
        self._solver.expect(self.operate, OperatorSite)
        self._hashing: set[Site] = set()
        self._operators: dict[tuple[Class, tuple[str, ...]], Variable | None] = {}

    def _operator_of(self, cls: Class, methods: tuple[str, ...]) -> Variable | None:
        """Return the variable of the first of an operator's methods that instances of a class have; None if none."""
        key = (cls, methods)
        if key not in self._operators:
            called = next((found for name in methods if (found := self._method_for(cls, name)) is not None), "")
            has_it = self._attributes.find(cls, called) is not None
            self._operators[key] = self._attributes.of_instance(cls, called) if has_it else None
        return self._operators[key]

    def _method_for(self, cls: Class, name: str) -> str | None:
        """Return the method's name, or that which an external base calls instead ("" for none); None for neither."""
        if self._attributes.find(cls, name) is not None:
            return name
        known = self._world.rules.inherited_operators
        return next((known[base][name] for base in cls.foreign if base in known and name in known[base]), None)

    def operate(self, site: OperatorSite, owner: Value) -> None:
        """Call the first of the operator's methods that an instance has, except from the tier ARGUMENT on."""
        if isinstance(owner, Instance):
            if site.methods[0] in self._world.rules.reflected_operators:  # the left operand is resolved by then
                self._world.later(Tier.CONTAINER, self._operate_reflected, site, owner)
            else:
                self._operate_on(site, owner)
        elif isinstance(owner, Container):
            self._world.give(site, owner)
            if site.methods[0] == "__contains__":
                self.look_up(site, site.arguments[0])

    def look_up(self, site: Site, key: Variable) -> None:
        """Call the methods of a key that a container calls: hash and comparison."""
        if key >= 0 and site not in self._hashing:
            self._hashing.add(site)
            self._world.later(Tier.PROTOCOL, self._solver.watch, key, self._hash, site)

    def _hash(self, site: Site, key: Value) -> None:
        if isinstance(key, Instance):
            for name in _HASHED_BY:
                self.operate(OperatorSite(site.scope, site.line, -1, (), (name,)), key)

    def _operate_reflected(self, site: OperatorSite, owner: Instance) -> None:
        """Call the right operand's method if the left operand has none for the operator."""
        direct = self._world.rules.reflected_operators[site.methods[0]]
        left = self._solver.values[site.arguments[0]] if site.arguments[0] >= 0 else ()
        if not any(isinstance(value, Instance) and self._attributes.find(value.cls, direct) for value in left):
            self._operate_on(site, owner)

    def _operate_on(self, site: OperatorSite, owner: Instance) -> None:
        if self._world.tier >= Tier.ARGUMENT:
            return
        if isinstance(site.scope, Function) and site.scope.holder is owner.cls:
            self._operate_below(site, owner.cls)
        if (method := self._operator_of(owner.cls, site.methods)) is not None:
            self._place(site)
            self._operate_by(site, method)

    def _operate_below(self, site: OperatorSite, cls: Class) -> None:
        """Call methods that only subclasses have and that precede the class's own among the operator's methods."""
        for name in site.methods:
            if self._attributes.find(cls, name) is not None:
                break
            for below in self._attributes.overrides.below(cls, name):
                self._place(site)
                self._solver.watch(self._attributes.of_instance(below, name), self._calls.on, site)

    def _place(self, site: OperatorSite) -> None:
        if not site.is_call:
            site.is_call = True
            self._world.placed(site)

    def _operate_by(self, site: OperatorSite, method: Variable) -> None:
        """Call the values that a method has so far, nearly always all of them; watch it if it has none."""
        known = self._solver.values[method]
        for value in known:
            self._calls.on(site, value)
        if not known:
            self._solver.watch(method, self._calls.on, site)

    def iterate(self, site: Site, owner: Value) -> None:
        """Let the elements of a value flow to the site's result by iterating over it."""
        if isinstance(owner, Container):
            self._iterate_container(site, owner)
        elif isinstance(owner, Instance):
            iterator = self._solver.variable()
            inner = self._world.placed(LoopSite(site.scope, site.line, iterator))
            inner.receiver = site.receiver
            if self._calls.call_method(inner, owner, "__iter__") or self._calls.call_method(inner, owner, "__aiter__"):
                self._solver.watch(iterator, self.advance, site)
            else:
                self._calls.call_method(site, owner, "__getitem__")
        elif isinstance(owner, Class):
            self._iterate_class(site, owner)

    def _iterate_container(self, site: Site, owner: Container) -> None:
        """Iterate over a container; for a generator, the site calls its function, as the body runs there."""
        if owner.function is not None and not site.targets:
            self._run_generator(site, owner.function)
        if owner.kind != MAPPING:
            self._world.later(Tier.CONTAINER, self._world.give_all, site, owner.every)

    def _run_generator(self, site: Site, function: Function) -> None:
        if self._world.tier < Tier.ARGUMENT:
            site.targets = self._world.targets.with_target(site.targets, function, self._world.tier)

    def _iterate_class(self, site: Site, owner: Class) -> None:
        if owner.is_enum:
            self._world.give(site, owner.instance)
        metaclass = self._attributes.metaclass(owner)
        if metaclass is not None and (member := self._attributes.find(metaclass, "__iter__")) is not None:
            self._solver.watch(member[1], self._calls.on_class, (site, owner))

    def advance(self, site: Site, iterator: Value) -> None:
        """Take the next element of an iterator."""
        if isinstance(iterator, Container):
            if iterator.kind == MAPPING and "next" in iterator.items:
                self._next_of_mapping(site, iterator)
                return
            if iterator.function is not None:
                self._run_generator(site, iterator.function)
            self._world.give_all(site, iterator.every)
        elif isinstance(iterator, Instance) and not self._calls.call_method(site, iterator, "__next__"):
            self._calls.call_method(site, iterator, "__anext__")

    def _next_of_mapping(self, site: Site, iterator: Container) -> None:
        """Call the item `next` of a JavaScript iterator; the element is the item `value` of its result."""
        result = self._solver.variable()
        inner = self._world.site(site.scope, site.line, result)
        self._solver.watch(iterator.items["next"], self._calls.on, inner)
        self._containers.read_key(result, "value", site.result)

    def enter(self, site: Site, manager: Value) -> None:
        """Call the methods for entering and leaving `with`; a generator is one decorated with `contextmanager`."""
        if isinstance(manager, Instance):
            leaving = self._world.site(site.scope, site.line, -1)
            if self._calls.call_method(site, manager, "__enter__"):
                self._calls.call_method(leaving, manager, "__exit__")
            elif self._calls.call_method(site, manager, "__aenter__"):
                self._calls.call_method(leaving, manager, "__aexit__")
        elif isinstance(manager, Container):
            self._world.give_all(site, manager.every)
        elif isinstance(manager, External):
            self._world.give(site, manager)  # external managers mostly return themselves

    def define_class(self, cls: Class) -> None:
        """Call what a class statement runs: the metaclass, `__init_subclass__` and `__set_name__`."""
        scope = cls.owner
        assert scope is not None
        metaclass = self._attributes.metaclass(cls)
        if metaclass is not None:
            site = self._world.site(scope, cls.line, -1)
            for name in ("__new__", "__init__"):
                member = self._attributes.find(metaclass, name)
                if member is not None:
                    self._solver.watch(member[1], self._calls.on_class, (site, cls))
        for ancestor in cls.order[1:]:
            if "__init_subclass__" in ancestor.members:
                site = self._world.site(scope, cls.line, -1)
                self._solver.watch(ancestor.members["__init_subclass__"], self._calls.on_class, (site, cls))
                break
        self._name_descriptors(cls)

    def _name_descriptors(self, cls: Class) -> None:
        """Call `__set_name__` of the descriptors in a class body."""
        for name, variable in list(cls.members.items()):
            if name in self._world.computed:
                for value in list(self._solver.values[variable]):
                    if isinstance(value, Instance) and self._attributes.find(value.cls, "__set_name__"):
                        assert cls.owner is not None
                        self._calls.call_method(self._world.site(cls.owner, cls.line, -1), value, "__set_name__")

    def element(self, site: Site, source: Variable) -> Variable:
        """Return a new variable that holds the elements of the values of `source`, iterated over at a site."""
        result = self._solver.variable()
        inner = self._world.site(site.scope, site.line, result)
        self._solver.watch(source, self.iterate, inner)
        return result
