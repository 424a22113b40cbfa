"""Attributes that call functions when they are read or set: properties and descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.solver.values import Class, Function, Instance, Method, Property, Value, Variable
from indexer.domain.linking.solver.world import bound
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.attributes import Attributes
    from indexer.domain.linking.solver.world import Access, Site, World


class Computed:
    """Calls the getters and setters of computed attributes."""

    def __init__(self, attributes: Attributes, world: World) -> None:
        self._attributes = attributes
        self._world = world
        self._solver = world.solver

    def load_bound(self, access: Access, value: Value) -> None:
        """Let a read of an attribute give the class's value, or the getter's result if the attribute is computed."""
        if isinstance(value, Method) and value.function.is_property:
            self._world.later(Tier.PROTOCOL, self._call_getter, access, value)
        elif isinstance(value, Property) and value.receiver is not None:
            site = self._world.site(access.scope, access.line, access.variable)
            self._world.later(Tier.PROTOCOL, self._call_accessors, site, value.getter, value.receiver)
        elif isinstance(value, Instance) and self._attributes.find(value.cls, "__get__") is not None:
            self._world.later(Tier.PROTOCOL, self._call_descriptor, access, value)
        else:
            self._solver.add(access.variable, value)

    def _call_getter(self, access: Access, method: Method) -> None:
        if method.function not in access.seen:
            access.seen = self._solver.sets.seen(access.seen, method.function)
            site = self._world.site(access.scope, access.line, access.variable)
            self._attributes.calls.on(site, method)

    def _call_descriptor(self, access: Access, descriptor: Instance) -> None:
        site = self._world.site(access.scope, access.line, access.variable)
        self._solver.watch(self._attributes.of_instance(descriptor.cls, "__get__"), self._attributes.calls.on, site)

    def call_accessor(self, access: Access, owner: Instance, member: Variable) -> None:
        """Call `__getattr__` for an attribute that neither class nor instance has."""
        if any(access.name in ancestor.own or access.name in ancestor.members for ancestor in owner.cls.order):
            return
        self._call_bound(self._world.site(access.scope, access.line, access.variable), owner, member)

    def store_descriptor(self, place: tuple[Access, Class], value: Value) -> None:
        """Call the setter of a property or the `__set__` of a descriptor."""
        access, cls = place
        if isinstance(value, Property):
            site = self._world.site(access.scope, access.line, -1, (access.variable,))
            self._world.later(Tier.PROTOCOL, self._call_accessors, site, value.setter, cls.instance)
        elif isinstance(value, Instance) and self._attributes.find(value.cls, "__set__") is not None:
            self._world.later(Tier.PROTOCOL, self._call_set, access, value)

    def _call_set(self, access: Access, descriptor: Instance) -> None:
        site = self._world.site(access.scope, access.line, -1, (-1, access.variable))
        self._solver.watch(self._attributes.of_instance(descriptor.cls, "__set__"), self._attributes.calls.on, site)

    def _call_accessors(self, site: Site, accessors: Variable, owner: Instance) -> None:
        """Call the getters or setters of a property."""
        if accessors >= 0:
            self._solver.watch(accessors, self._call_on, (site, owner))

    def _call_on(self, place: tuple[Site, Instance], value: Value) -> None:
        site, owner = place
        self._attributes.calls.on(site, bound(value, owner) if isinstance(value, Function) else value)

    def call_setter(self, access: Access, owner: Instance, setter: Variable) -> None:
        """Call a setter, or `__setattr__`, with the stored value."""
        self._call_bound(self._world.site(access.scope, access.line, -1, (access.variable,)), owner, setter)

    def _call_bound(self, site: Site, owner: Instance, member: Variable) -> None:
        """Call the functions that a member holds at this point."""
        for value in list(self._solver.values[member]):
            if isinstance(value, Function):
                self._attributes.calls.on(site, bound(value, owner))
