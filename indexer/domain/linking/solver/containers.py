"""Containers: items by key, iteration, and the methods that move values in and out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.linking.program import LIST, MAPPING
from indexer.domain.linking.solver.values import Class, Container, ContainerMethod, Instance, Literal, Value, Variable
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.world import Site

    Act = Callable[[Container, object, Variable], None]

_ADDING = frozenset(("append", "add", "appendleft", "push", "put", "put_nowait"))
_MERGING = frozenset(("extend", "update", "extendleft"))
_COPYING = frozenset(("copy", "union"))
_TAKING = frozenset(("pop", "popleft", "popitem", "get", "setdefault", "__getitem__", "get_nowait"))
_HASHING = frozenset(("add", "discard", "remove", "get", "pop", "setdefault", "__getitem__"))
_SAME = frozenset(("values", "__iter__", "most_common"))


@dataclass(slots=True, eq=False)
class Key:
    """One place where an item is read into `variable`, or stored from it."""

    key: object
    slot: Variable
    variable: Variable
    site: Site


class Containers:
    """Moves values in and out of containers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._world = engine.world
        self._solver = engine.world.solver

    def read(self, source: Variable, key: object, destination: Variable) -> None:
        """Let items of every container in `source` flow to a variable: those under `key`, or all (None)."""
        self._solver.watch(source, self._read, (key, destination))

    def _read(self, place: tuple[object, Variable], value: Value) -> None:
        key, destination = place
        if isinstance(value, Container):
            self._get(value, None if value.kind == MAPPING else key, destination)

    def read_key(self, source: Variable, name: str, destination: Variable) -> None:
        """Let items of containers in `source` under a name flow to a variable."""
        self._solver.watch(source, self._read_key, (name, destination))

    def _read_key(self, place: tuple[str, Variable], value: Value) -> None:
        if isinstance(value, Container):
            self._get(value, place[0], place[1])

    def _get(self, container: Container, key: object, destination: Variable) -> None:
        if key is None or (isinstance(key, int) and key < 0):
            self._solver.copy(container.every, destination)
            return
        self._solver.copy(self._world.item(container, key), destination)
        self._solver.copy(container.rest, destination)

    def get_item(self, key: Key, owner: Value) -> None:
        """Read `owner[key]`."""
        if isinstance(owner, Container):
            self._engine.protocols.look_up(key.site, key.slot)
            self._world.later(Tier.CONTAINER, self._by_key, self._get, key, owner)
        elif isinstance(owner, Instance):
            if (field := self.field(owner.cls, key.key, "__getitem__")) is not None:
                self._solver.copy(field, key.variable)
            else:
                self._world.later(Tier.PROTOCOL, self._engine.calls.call_method, key.site, owner, "__getitem__")
        elif isinstance(owner, Class):
            self._solver.add(key.variable, owner)
            if self._engine.attributes.find(owner, "__class_getitem__") is not None:
                variable = self._engine.attributes.of_class(owner, "__class_getitem__")
                self._world.later(Tier.PROTOCOL, self._solver.watch, variable, self._engine.calls.on, key.site)

    def field(self, cls: Class, position: object, method: str) -> Variable | None:
        """
        Return the variable of a field by its position, if instances of the class are tuples of their fields.

        None otherwise, and if the class itself defines `method`. Fields are those of the class that directly has a
        base of `record_bases`: names in subclasses are only attributes.
        """
        bases = self._world.rules.record_bases
        if not isinstance(position, int) or not any(base in bases for base in cls.foreign):
            return None
        if self._engine.attributes.find(cls, method) is not None:
            return None
        written = next(each for each in reversed(cls.order) if any(base in bases for base in each.foreign))
        if not -len(written.fields) <= position < len(written.fields):
            return None
        return self._engine.attributes.of_instance(cls, written.fields[position])

    def set_item(self, key: Key, owner: Value) -> None:
        """Store `owner[key]`."""
        if isinstance(owner, Container):
            self._engine.protocols.look_up(key.site, key.slot)
            if key.variable >= 0:
                self._world.later(Tier.CONTAINER, self._by_key, self._set, key, owner)
        elif isinstance(owner, Instance):
            self._world.later(Tier.PROTOCOL, self._engine.calls.call_method, key.site, owner, "__setitem__")

    def _set(self, container: Container, key: object, source: Variable) -> None:
        self._solver.copy(source, container.rest if key is None else self._world.item(container, key))

    def _by_key(self, act: Act, key: Key, owner: Container) -> None:
        """Apply `act` with a constant key, with each constant that the key's slot holds, or with any key (None)."""
        if key.key is not None or key.slot < 0:
            act(owner, key.key, key.variable)
        else:
            self._world.later(Tier.ARGUMENT, self._by_known_key, act, key, owner)

    def _by_known_key(self, act: Act, key: Key, owner: Container) -> None:
        known = self._solver.values[key.slot]
        literals = [value.value for value in known if isinstance(value, Literal) and not value.is_prefix]
        if not literals or len(literals) < len(known):
            act(owner, None, key.variable)
        for literal in literals:
            act(owner, literal, key.variable)

    def merge(self, source: Variable, container: Container) -> None:
        """Copy the items of mappings in `source` to a container under their keys, without keys that are added later."""
        self._world.later(Tier.CONTAINER, self._solver.watch, source, self._merge, container)

    def _merge(self, container: Container, value: Value) -> None:
        if isinstance(value, Container) and value is not container:
            self._solver.copy(value.rest, container.rest)
            for key, variable in list(value.items.items()):
                self._solver.copy(variable, self._world.item(container, key))

    def update(self, site: Site, container: Container, *, position: int = 0) -> None:
        """Model `update` of a mapping: by the items of the argument at `position`, and by keywords."""
        for name, source in [*(("", argument) for argument in site.arguments[position : position + 1]), *site.keywords]:
            if source >= 0 and name:
                self._solver.copy(source, self._world.item(container, name))
            elif source >= 0:
                self._solver.watch(source, self._update_by, container)

    def _update_by(self, container: Container, value: Value) -> None:
        if not isinstance(value, Container) or value is container:
            return
        if value.kind != MAPPING:
            self._solver.watch(value.every, self._read, (1, container.rest))  # pairs of key and value
            return
        self.take_over(container, value)

    def take_over(self, container: Container, other: Container) -> None:
        """Let all items of one container flow to another under the same keys, now and later."""
        self._merge(container, other)
        if other is not container and container not in other.updated:
            other.updated = (*other.updated, container)

    def cut(self, place: tuple[Variable, int], owner: Value) -> None:
        """Add a slice of a container from a position on; other values are passed unchanged."""
        destination, first = place
        if not isinstance(owner, Container):
            self._solver.add(destination, owner)
            return
        part = self._world.container(owner.kind)
        self._solver.copy(owner.rest, part.rest)
        for key, variable in list(owner.items.items()):
            if isinstance(key, int) and key >= first:
                self._solver.copy(variable, self._world.item(part, key - first))
        self._solver.add(destination, part)

    def call(self, site: Site, method: ContainerMethod) -> None:
        """Call a method of a container."""
        if self._engine.semantics.call_container(self._engine, site, method):
            return
        if method.name in _HASHING and site.arguments:
            self._engine.protocols.look_up(site, site.arguments[0])
        self._put_in(site, method)
        if site.result >= 0:
            self._give_back(site, method)

    def _put_in(self, site: Site, method: ContainerMethod) -> None:
        name, container, solver = method.name, method.container, self._solver
        first = site.arguments[0] if site.arguments else -1
        last = site.arguments[-1] if site.arguments else -1
        if name in _ADDING and first >= 0:
            solver.copy(first, container.rest)
        elif name in ("insert", "setdefault") and last >= 0:
            solver.copy(last, container.rest)
        elif name == "update" and container.kind == MAPPING:
            self.update(site, container)
        elif name in _MERGING and first >= 0:
            self.read(first, None, container.rest)

    def _copied(self, site: Site, method: ContainerMethod) -> Container:
        """Return a new container, as the result of `copy` or `union`."""
        made = self._world.container(method.container.kind)
        self.take_over(made, method.container)
        for other in site.arguments if method.name == "union" else ():
            if other >= 0:
                self.read(other, None, made.rest)
        return made

    def _give_back(self, site: Site, method: ContainerMethod) -> None:
        name, container, solver = method.name, method.container, self._solver
        last = site.arguments[-1] if site.arguments else -1
        if name in _TAKING:
            self._world.give_all(site, container.every)
            if name == "get" and len(site.arguments) > 1 and last >= 0:
                self._world.give_all(site, last)
        elif name == "values" and container.kind == MAPPING:
            values = self._world.container(LIST)
            solver.copy(container.every, values.rest)
            self._world.give(site, values)
        elif name in _COPYING:
            self._world.give(site, self._copied(site, method))
        elif name in _SAME:
            self._world.give(site, container)
        elif name == "items":
            pair = self._world.container(LIST)
            inner = self._world.container(LIST)
            solver.copy(container.every, self._world.item(pair, 1))
            solver.add(inner.rest, pair)
            self._world.give(site, inner)
