"""Attributes of modules, classes, instances, functions, containers and `super()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.classes.computed import Computed
from indexer.domain.linking.classes.families import Families
from indexer.domain.linking.classes.overrides import Overrides
from indexer.domain.linking.program import IS_CLASS_METHOD, IS_STATIC, MAPPING
from indexer.domain.linking.solver.values import (
    Class,
    Container,
    Definition,
    External,
    Function,
    Instance,
    Method,
    Module,
    Property,
    Registrar,
    Super,
    Value,
    Variable,
    below,
)
from indexer.domain.linking.solver.world import Access, bound, container_method
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.calls import Calls
    from indexer.domain.linking.solver.world import World


class Attributes:
    """Reads and sets attributes."""

    calls: Calls

    def __init__(self, world: World) -> None:
        self._world = world
        self._solver = world.solver
        self._solver.expect(self.load, Access)
        self.overrides = Overrides(self._solver)
        self.families = Families(self, world.solver)
        self._set_on_objects: set[tuple[Class, str]] = set()
        self.computed = Computed(self, world)

    def load(self, access: Access, owner: Value) -> None:
        """Let the attribute of a value flow to the variable of the access."""
        name, solver = access.name, self._solver
        if isinstance(owner, Instance):
            self._load_instance(access, owner.cls)
        elif isinstance(owner, Module):
            self._load_module(access, owner)
        elif isinstance(owner, Class):
            self._load_class(access, owner)
        elif isinstance(owner, External):
            dotted = below(owner.name, name)
            inner = self._world.inner_module(dotted, access.scope)
            solver.add(access.variable, inner or self._world.external(dotted))
        elif isinstance(owner, Super):
            self._load_super(access, owner)
        elif isinstance(owner, Container):
            self._load_container(access, owner)
        elif isinstance(owner, Function):
            self._load_function(access, owner)
        elif isinstance(owner, Method):
            self._load_method(access, owner)

    def _load_class(self, access: Access, cls: Class) -> None:
        self._solver.copy(self.of_class(cls, access.name), access.variable)
        if cls.foreign and access.name not in self._world.stored and self.find(cls, access.name) is None:
            self._load_foreign(access, cls)

    def _load_foreign(self, access: Access, cls: Class) -> None:
        """Take an attribute that no class of the project defines as one of the external bases; at most two are used."""
        for foreign in cls.foreign[:2]:
            self._solver.add(access.variable, self._world.external(f"{foreign}.{access.name}"))

    def _load_container(self, access: Access, owner: Container) -> None:
        if owner.kind == MAPPING and self._world.rules.items_are_attributes:
            self._solver.copy(self._world.item(owner, access.name), access.variable)
            self._solver.copy(owner.rest, access.variable)
        else:
            self._solver.add(access.variable, container_method(owner, access.name.partition("(")[0]))

    def store(self, access: Access, owner: Value) -> None:
        """Let the variable of the access flow to the attribute of a value."""
        name = access.name
        if isinstance(owner, Instance):
            self._store_instance(access, owner.cls)
        elif isinstance(owner, Class):
            self._solver.copy(access.variable, self._member(owner, name))
        elif isinstance(owner, Module):
            if name in owner.exports:
                self._solver.copy(access.variable, owner.exports[name])
        elif isinstance(owner, Function):
            self._solver.copy(access.variable, self._of_function(owner, name))
        elif isinstance(owner, Container) and self._world.rules.items_are_attributes:
            self._solver.copy(access.variable, self._world.item(owner, name))

    def find(self, cls: Class, name: str) -> tuple[Class, Variable] | None:
        """Return the first class in the resolution order with a member of this name, and the member's variable."""
        for ancestor in cls.order:
            found = ancestor.members.get(name)
            if found is not None:
                return ancestor, found
        return None

    def of_instance(self, cls: Class, name: str) -> Variable:
        """Return the variable of an attribute of instances: methods are bound, values set on instances are not."""
        found = cls.lookups.get(name)
        if found is None:
            solver = self._solver
            found = cls.lookups[name] = solver.variable()
            is_stored = name in self._world.stored
            for ancestor in cls.order[:1] if cls.is_copy else cls.order:
                if is_stored or name in ancestor.own:
                    solver.copy(self.own(ancestor, name), found)
            member = self.find(cls, name)
            if member is not None:
                solver.watch(member[1], self._bind_instance, (cls, found))
        return found

    def of_class(self, cls: Class, name: str) -> Variable:
        """Return the variable of an attribute of a class itself."""
        found = cls.class_lookups.get(name)
        if found is None:
            solver = self._solver
            found = cls.class_lookups[name] = solver.variable()
            if name == self._world.rules.instance_attribute:
                solver.add(found, cls.instance)
            member = self.find(cls, name)
            if member is None and name in self._world.stored:
                solver.watch(self._member(cls, name), self._bind_class, (cls, found))
            elif member is not None:
                solver.watch(member[1], self._bind_class, (cls, found))
                if cls.is_enum:
                    solver.add(found, cls.instance)
            metaclass = self.metaclass(cls)
            if metaclass is not None and member is None and (member := self.find(metaclass, name)):
                solver.watch(member[1], self._bind_metaclass, (cls, found))
        return found

    def metaclass(self, cls: Class) -> Class | None:
        """Return the metaclass of a class, its own or inherited, if the project defines it."""
        for ancestor in cls.order:
            if ancestor.metaclass >= 0:
                for value in self._solver.values[ancestor.metaclass]:
                    if isinstance(value, Class):
                        return value
        return None

    def _bind_instance(self, place: tuple[Class, Variable], value: Value) -> None:
        cls, found = place
        if value.__class__ is Function:
            flags = value.flags
            if flags & IS_STATIC:
                self._solver.add(found, value)
            elif flags & IS_CLASS_METHOD:
                self._solver.add(found, bound(value, cls))
            else:
                self._solver.add(found, bound(value, cls.instance))
        elif value.__class__ is Property:
            self._solver.add(found, value.of(cls.instance))
        else:
            self._solver.add(found, value)

    def _bind_class(self, place: tuple[Class, Variable], value: Value) -> None:
        cls, found = place
        if isinstance(value, Function):
            if value.flags & IS_CLASS_METHOD:
                self._solver.add(found, bound(value, cls))
            elif not value.is_property:
                self._solver.add(found, value)
        else:
            self._solver.add(found, value)

    def _bind_metaclass(self, place: tuple[Class, Variable], value: Value) -> None:
        if isinstance(value, Function):
            self._solver.add(place[1], bound(value, place[0]))

    def own(self, cls: Class, name: str) -> Variable:
        """Return the variable of an attribute that code sets on instances of a class."""
        found = cls.own.get(name)
        if found is None:
            found = cls.own[name] = self._solver.variable()
        return found

    def _member(self, cls: Class, name: str) -> Variable:
        found = cls.members.get(name)
        if found is None:
            found = cls.members[name] = self._solver.variable()
            self.overrides.forget(name)
            self.families.note(cls, name)
        return found

    def _load_instance(self, access: Access, cls: Class) -> None:
        world, name = self._world, access.name
        if name == world.rules.class_attribute:
            self._solver.add(access.variable, cls.original)
            return
        variable = self.of_instance(cls, name)
        member = self.find(cls, name)
        is_own = isinstance(access.scope, Function) and access.scope.holder is cls
        if is_own and cls.subclasses and name not in world.computed and world.rules.is_late_bound:
            world.later(Tier.ARGUMENT, self._load_hook, access, cls)
        if member is None:
            self._solver.copy(variable, access.variable)
            if not any(name in ancestor.own for ancestor in cls.order):
                if world.tier < Tier.ARGUMENT and (fallback := self.find(cls, "__getattr__")) is not None:
                    world.later(Tier.PROTOCOL, self.computed.call_accessor, access, cls.instance, fallback[1])
                self._load_foreign(access, cls)
        elif name not in world.computed:  # never a property or descriptor
            self._solver.copy(variable, access.variable)
        else:
            self._solver.watch(variable, self.computed.load_bound, access)

    def _load_hook(self, access: Access, cls: Class) -> None:
        """Read a hook from the subclasses: an attribute with no callable value in the class itself, such as `None`."""
        # A value that is set on the object takes precedence over methods.
        is_set = any((ancestor, access.name) in self._set_on_objects for ancestor in cls.order)
        if not is_set and not self._solver.values[self.of_instance(cls, access.name)]:
            for below in self.overrides.below(cls, access.name):
                self._solver.copy(self.of_instance(below, access.name), access.variable)

    def _store_instance(self, access: Access, cls: Class) -> None:
        name, world = access.name, self._world
        if (hook := self.find(cls, "__setattr__")) is not None:
            world.later(Tier.PROTOCOL, self.computed.call_setter, access, cls.instance, hook[1])
        setter = self.find(cls, name + "=")
        if setter is not None:
            world.later(Tier.PROTOCOL, self.computed.call_setter, access, cls.instance, setter[1])
            return
        if name in world.computed and (member := self.find(cls, name)) is not None:
            self._solver.watch(member[1], self.computed.store_descriptor, (access, cls))
        self._set_on_objects.add((cls, name))
        self._solver.copy(access.variable, self.own(cls, name))

    def of_module(self, module: Module, name: str) -> Variable | None:
        """Return the variable of a module's name, also one from `from x import *`; None if it has no such name."""
        found = module.exports.get(name)
        if found is None and module.stars:
            for star in self._world.stars.of(module):
                if (found := star.exports.get(name)) is not None:
                    break
        return found

    def _load_module(self, access: Access, module: Module) -> None:
        found = self.of_module(module, access.name)
        inner = self._world.submodule(module, access.name)
        if found is not None:
            self._solver.copy(found, access.variable)
        elif (whole := module.exports.get(self._world.rules.whole_export)) is not None:
            if access.name == "default":
                self._solver.copy(whole, access.variable)
            else:
                self._solver.watch_once(whole, self.load, access)
        elif inner is not None:
            self._solver.add(access.variable, inner)
        elif "__getattr__" in module.exports:
            self._world.later(
                Tier.PROTOCOL, self.call_module_getattr, access.scope, access.line, module, access.variable
            )
        else:
            for star in module.stars:
                if isinstance(star, str):
                    self._solver.add(access.variable, self._world.external(f"{star}.{access.name}"))

    def call_module_getattr(self, scope: Definition, line: int, module: Module, variable: Variable) -> None:
        """Call a module's own `__getattr__`, as Python does when a name is missing."""
        site = self._world.site(scope, line, variable)
        self._solver.watch(module.exports["__getattr__"], self.calls.on, site)

    def _load_super(self, access: Access, value: Super) -> None:
        receiver = value.receiver
        cls = receiver.cls if isinstance(receiver, Instance) else receiver
        if not isinstance(cls, Class):
            return
        order = cls.order
        behind = order[order.index(value.cls) + 1 :] if value.cls in order else value.cls.order[1:]
        for ancestor in behind:
            member = cls.copied.get(ancestor, ancestor.members).get(access.name)
            if member is not None:
                if isinstance(receiver, Instance):
                    self._solver.watch(member, self._load_super_member, (access, receiver))
                else:
                    self._solver.watch(member, self._bind_class, (cls, access.variable))
                return
        self._load_foreign(access, cls)

    def _load_super_member(self, place: tuple[Access, Instance], value: Value) -> None:
        access, receiver = place
        if isinstance(value, Function) and not value.flags & (IS_STATIC | IS_CLASS_METHOD):
            self.computed.load_bound(access, bound(value, receiver))
        else:
            self._bind_instance((receiver.cls, access.variable), value)

    def _of_function(self, function: Function, name: str) -> Variable:
        found = function.attributes.get(name)
        if found is None:
            found = function.attributes[name] = self._solver.variable()
        return found

    def _load_function(self, access: Access, function: Function) -> None:
        if access.name in self._world.rules.transparent_attributes:
            self._solver.add(access.variable, function)
        elif access.name in self._world.stored:
            self._solver.copy(self._of_function(function, access.name), access.variable)
        elif access.name in self._world.rules.registering_attributes:
            self._solver.add(access.variable, Registrar(function))

    def _load_method(self, access: Access, method: Method) -> None:
        if access.name in self._world.rules.transparent_attributes:
            self._solver.add(access.variable, method)
        else:
            self._load_function(access, method.function)
