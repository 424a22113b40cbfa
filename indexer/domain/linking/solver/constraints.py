"""Turns instructions into constraints of the solver, with one method for each operation."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any

from indexer.domain.linking import program as op
from indexer.domain.linking.classes.declared import Declared
from indexer.domain.linking.decorators import Decorators
from indexer.domain.linking.program import NOTHING
from indexer.domain.linking.solver.containers import Key
from indexer.domain.linking.solver.packed import pack, unpack
from indexer.domain.linking.solver.values import (
    Class,
    Function,
    Instance,
    Method,
    Module,
    Value,
    is_below,
)
from indexer.domain.linking.solver.world import Access, CallSite, LoopSite, OperatorSite, joined
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.domain.linking.loading import Loaded
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Variable


_LATER = {
    **dict.fromkeys((op.ITERATE, op.ENTER, op.OPERATE, op.UNPACK), Tier.PROTOCOL),
    op.SLICE: Tier.CONTAINER,
}


class Constraints:
    """Installs the instructions of units."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._world = engine.world
        self._solver = engine.world.solver
        self._declared = Declared(engine.world)
        self._methods: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.decorators = Decorators(engine)
        self.imports: list[tuple[Loaded, int, int, str, Module | None, str, Variable]] = []
        self.named: list[tuple[Function, str, Variable]] = []
        self._installers: dict[int, Callable[[Loaded, Any], None]] = {
            op.COPY: self._copy,
            op.DEFINE: self._define,
            op.LITERAL: self._literal,
            op.IMPORT: self._import,
            op.NAME: self._name,
            op.LOAD: self._load,
            op.STORE: self._store,
            op.CALL: self._call,
            op.DECORATE: self.decorators.install,
            op.CONTAINER: self._container,
            op.GET_ITEM: self._get_item,
            op.SET_ITEM: self._set_item,
            op.ITERATE: self._iterate,
            op.ENTER: self._enter,
            op.OPERATE: self._operate,
            op.INSTANCE: self._instance,
            op.SUPER: self._super,
            op.NARROW: self._narrow,
            op.SLICE: self._slice,
            op.UNPACK: self._unpack,
            op.RAISE: self._raise,
            op.PARAMETER: self._parameter,
            op.DECLARE: self._declared.install,
            op.BODY: self._pass_by,
        }

    def install(self, unit: Loaded) -> None:
        """Install all instructions of a unit."""
        code, unit.code = unit.code, ()
        self.install_code(unit, code)

    def install_code(self, unit: Loaded, code: Iterable[Any]) -> None:
        """Install instructions; those of a later tier are packed until the link reaches it."""
        installers, later = self._installers, _LATER
        unit.number_slots()
        waiting: dict[Tier, list[Any]] = {tier: [] for tier in later.values()}
        for instruction in code:
            if (tier := later.get(instruction[0])) is None:
                installers[instruction[0]](unit, instruction)
            else:
                waiting[tier].append(instruction)
        unit.variables.clear()
        for tier, code in waiting.items():
            if code:
                self._world.later(tier, self._install_rest, unit, pack(code))

    def _install_rest(self, unit: Loaded, packed: bytes) -> None:
        unit.number_slots()
        for instruction in unpack(packed):
            self._installers[instruction[0]](unit, instruction)
        unit.variables.clear()

    def _pass_by(self, unit: Loaded, instruction: Any) -> None:
        """Ignore an instruction that only copies of classes use."""

    def _copy(self, unit: Loaded, instruction: Any) -> None:
        self._solver.copy(unit.variables[instruction[2]], unit.variables[instruction[1]])

    def _define(self, unit: Loaded, instruction: Any) -> None:
        self._solver.add(unit.variables[instruction[1]], unit.definitions[instruction[2]])

    def _literal(self, unit: Loaded, instruction: Any) -> None:
        _, destination, value, is_prefix = instruction
        self._solver.add(unit.variables[destination], self._engine.literal(value, is_prefix=bool(is_prefix)))

    def _import(self, unit: Loaded, instruction: Any) -> None:
        _, destination, name, item, scope, line = instruction
        variable = unit.variables[destination]
        world = self._world
        module = world.find_module(name, unit.module, item)
        inner = world.find_module(joined(name, item), unit.module) if module is None else None
        written = world.import_name(name, item, unit.module)
        self.imports.append((unit, scope, line, written, module or inner, item if module else "", variable))
        if module is None:
            self._solver.add(variable, inner or world.external(written))
        elif not item:
            self._solver.add(variable, module)
            if (whole := module.exports.get(world.rules.whole_export)) is not None:
                self._solver.copy(whole, variable)
        elif module is unit.module and (inner := world.submodule(module, item)) is not None:
            self._solver.add(variable, inner)  # its own name is only being bound here
        else:
            access = Access(unit.definitions[scope], line, item, variable)
            self._engine.attributes.load(access, module)
            if "__getattr__" in module.exports and not module.is_package and item in module.exports:
                probe = self._engine.attributes.call_module_getattr
                world.later(Tier.PROTOCOL, probe, unit.definitions[scope], line, module, -1)

    def _name(self, unit: Loaded, instruction: Any) -> None:
        _, destination, name = instruction
        binds = self._world.rules.stars_bind
        found = self._engine.attributes.of_module(unit.module, name) if binds else unit.module.exports.get(name)
        if found is not None:
            self._solver.copy(found, unit.variables[destination])
            return
        foreign = [f"{star}.{name}" for star in unit.module.stars if isinstance(star, str) and binds]
        free = self._world.rules.free_name(name)
        if not self._world.is_shared(unit.module):
            foreign.append(free)
        elif len(foreign) != 1 or "." in free:
            foreign = [free]  # several packages with one name: ambiguous
        for dotted in foreign:
            self._solver.add(unit.variables[destination], self._world.external(dotted))

    def _load(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, name, scope, line = instruction
        access = Access(unit.definitions[scope], line, name, unit.variables[destination])
        self._solver.watch(unit.variables[owner], self._engine.attributes.load, access)

    def _store(self, unit: Loaded, instruction: Any) -> None:
        _, owner, name, source, scope, line = instruction
        stored = unit.variables[source] if source >= 0 else self._engine.nothing
        access = Access(unit.definitions[scope], line, name, stored)
        self._solver.watch(unit.variables[owner], self._engine.attributes.store, access)

    def _call(self, unit: Loaded, instruction: Any) -> None:
        _, result, callee, arguments, keywords, written, scope, line, receiver, attribute, *given = instruction
        variables = unit.variables
        site = CallSite(
            unit.definitions[scope],
            line,
            variables[result],
            tuple([variables[slot] if slot >= NOTHING else -2 - variables[-2 - slot] for slot in arguments]),
            tuple([(name, variables[slot]) for name, slot in keywords]),
        )
        site.written = intern(written)
        site.given = given[0] if given else ()
        site.attribute = attribute
        site.receiver = variables[receiver]
        site.callee = variables[callee]
        self._world.placed(site)
        if callee >= 0:
            self._solver.watch(site.callee, self._engine.calls.on, site)

    def _container(self, unit: Loaded, instruction: Any) -> None:
        _, destination, kind, items, spread = instruction
        container = self._world.container(kind)
        variables = unit.variables
        for key, slot in items:
            place = container.rest if key is None else self._world.item(container, key)
            self._solver.copy(variables[slot], place)
        for slot in spread:
            if kind == op.MAPPING and self._world.rules.items_are_attributes:
                self._engine.containers.merge(variables[slot], container)
            else:
                self._engine.containers.read(variables[slot], None, container.rest)
        self._solver.add(variables[destination], container)

    def _get_item(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, key, key_slot, scope, line = instruction
        slot = unit.variables[key_slot]
        site = self._world.site(unit.definitions[scope], line, unit.variables[destination], (slot,))
        place = Key(key, slot, site.result, site)
        self._solver.watch(unit.variables[owner], self._engine.containers.get_item, place)

    def _set_item(self, unit: Loaded, instruction: Any) -> None:
        _, owner, key, key_slot, source, scope, line = instruction
        slot = unit.variables[key_slot]
        stored = unit.variables[source]
        site = self._world.site(unit.definitions[scope], line, -1, (slot, stored))
        place = Key(key, slot, stored, site)
        self._solver.watch(unit.variables[owner], self._engine.containers.set_item, place)

    def _iterate(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, scope, line = instruction
        loop = LoopSite(unit.definitions[scope], line, unit.variables[destination])
        loop.receiver = unit.variables[owner]
        self._solver.watch(unit.variables[owner], self._engine.protocols.iterate, self._world.placed(loop))

    def _enter(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, scope, line = instruction
        site = self._world.site(unit.definitions[scope], line, unit.variables[destination])
        self._solver.watch(unit.variables[owner], self._engine.protocols.enter, site)

    def _operate(self, unit: Loaded, instruction: Any) -> None:
        _, destination, methods, owner, arguments, scope, line = instruction
        variables = unit.variables
        given = tuple([variables[slot] for slot in arguments])
        shared = self._methods.setdefault(methods, methods)
        site = OperatorSite(unit.definitions[scope], line, variables[destination], given, shared)
        self._solver.watch(variables[owner], self._engine.protocols.operate, site)

    def _instance(self, unit: Loaded, instruction: Any) -> None:
        _, destination, named, scope, line = instruction
        place = (unit.variables[destination], unit.definitions[scope], line)
        self._solver.watch(unit.variables[named], self._world.instantiate, place)

    def _super(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, receiver, _, _ = instruction
        variables = unit.variables
        self._solver.watch(variables[owner], self._super_of, (variables[destination], variables[receiver]))

    def _super_of(self, place: tuple[Variable, Variable], cls: Value) -> None:
        if isinstance(cls, Class):
            self._solver.watch(place[1], self._super_with, (place[0], cls))

    def _super_with(self, place: tuple[Variable, Class], receiver: Value) -> None:
        destination, cls = place
        if isinstance(receiver, Instance | Class):
            self._solver.add(destination, self._engine.super_of(cls, receiver))

    def _narrow(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, named, scope, line = instruction
        variables = unit.variables
        place = (variables[destination], variables[owner], unit.definitions[scope], line)
        self._solver.watch(variables[named], self._narrow_to, place)

    def _narrow_to(self, place: tuple[Variable, Variable, Any, int], cls: Value) -> None:
        destination, owner, scope, line = place
        self._world.instantiate((destination, scope, line), cls)
        if owner >= 0:
            self._solver.watch(owner, self._keep_subclass, (destination, cls))

    def _keep_subclass(self, place: tuple[Variable, Value], value: Value) -> None:
        destination, cls = place
        if isinstance(value, Instance):
            if isinstance(cls, Class) and is_below(value.cls, cls):
                self._solver.add(destination, value)
        elif isinstance(value, Function | Method) and self._world.rules.functions_are_objects:
            self._solver.add(destination, value)

    def _slice(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, first, _, _ = instruction
        self._solver.watch(unit.variables[owner], self._engine.containers.cut, (unit.variables[destination], first))

    def _unpack(self, unit: Loaded, instruction: Any) -> None:
        _, destination, owner, position, scope, line = instruction
        site = self._world.site(unit.definitions[scope], line, unit.variables[destination])
        self._world.later(
            Tier.CONTAINER, self._engine.containers.read, unit.variables[owner], position, unit.variables[destination]
        )
        self._solver.watch(unit.variables[owner], self._unpack_instance, (site, position))

    def _unpack_instance(self, place: tuple[Any, int], owner: Value) -> None:
        site, position = place
        if not isinstance(owner, Instance):
            return
        if (field := self._engine.containers.field(owner.cls, position, "__iter__")) is not None:
            self._solver.copy(field, site.result)
        else:
            self._engine.protocols.iterate(site, owner)

    def _raise(self, unit: Loaded, instruction: Any) -> None:
        _, owner, scope, line = instruction
        site = self._world.site(unit.definitions[scope], line, -1)
        self._solver.watch(unit.variables[owner], self._raise_class, site)

    def _raise_class(self, site: Any, value: Value) -> None:
        if isinstance(value, Class):
            self._engine.calls.on(site, value)

    def _parameter(self, unit: Loaded, instruction: Any) -> None:
        _, slot, scope, name = instruction
        function = unit.definitions[scope]
        if isinstance(function, Function):
            self.named.append((function, name, unit.variables[slot]))
