"""Makes the definitions of all units out of their programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.domain.linking import program as op
from indexer.domain.linking.hierarchy import Hierarchy
from indexer.domain.linking.values import Class, Definition, Function, Module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.values import Variable
    from indexer.domain.linking.world import World
    from indexer.domain.model import LinkUnit


class Loaded:
    """A unit whose definitions exist: its program, the variable of its slot 0, its definitions by scope."""

    __slots__ = ("base", "code", "definitions", "module")

    def __init__(self, module: Module, base: Variable, definitions: list[Definition], code: Sequence[Any]) -> None:
        self.module = module
        self.base = base
        self.definitions = definitions
        self.code = code


def load(world: World, units: Sequence[LinkUnit]) -> list[Loaded]:
    """Make modules, classes and functions of all units, and resolve the class hierarchy."""
    hierarchy = Hierarchy(world)
    loaded = []
    programs: list[tuple[Module, Any]] = []
    for number, unit in enumerate(units):
        if unit.parsed.language != world.semantics.language or not unit.parsed.program:
            world.units.append(None)
            continue
        program: Any = unit.parsed.program
        module = Module(
            number, program[1][0][1], is_package=unit.path.rpartition("/")[2].startswith(("__init__.", "index."))
        )
        world.units.append(module)
        world.modules.setdefault(module.name, module)
        programs.append((module, program))
    for module, program in programs:
        while hierarchy.size < module.unit:
            hierarchy.add_missing()
        loaded.append(_load_unit(world, hierarchy, module, program))
    for module, program in programs:
        for name in program[3]:
            module.stars.append(world.semantics.find_module(name, module, world.modules) or name)
    hierarchy.order_classes()
    hierarchy.find_implementations()
    hierarchy.mark_decorated()
    hierarchy.mark_descriptors()
    return loaded


def _load_unit(world: World, hierarchy: Hierarchy, module: Module, program: Any) -> Loaded:
    slots, scopes, exports, _, code = program
    base = world.solver.variables(slots)
    definitions: list[Definition] = []
    module.exports = world.exports_of(module) if scopes[0][5] else {}
    for number, (kind, name, parent, symbol, line, detail) in enumerate(scopes):
        if kind == op.MODULE:
            definitions.append(module)
            continue
        owner = definitions[parent]
        if kind in (op.CLASS, op.EXTENSION):
            cls = _class_of(world, owner, name, is_extension=kind == op.EXTENSION)
            if kind == op.CLASS:
                cls.unit, cls.scope, cls.owner, cls.symbol, cls.line = module.unit, number, owner, symbol, line
            _fill_class(cls, base, detail)
            definitions.append(cls)
        else:
            function = Function(module.unit, number, name, owner, symbol, line)
            _fill_function(world, function, base, detail)
            world.functions.append(function)
            definitions.append(function)
            if function.holder is not None:
                world.methods.setdefault(name, []).append(function)
    for name, slot in exports:
        module.exports.setdefault(name, base + slot)
    hierarchy.add_unit(program, definitions)
    return Loaded(module, base, definitions, code)


def _class_of(world: World, owner: Definition, name: str, *, is_extension: bool) -> Class:
    """Give a new class, or the one that an extension belongs to or came before."""
    key = (owner.name, name)
    found = world.extended.get(key) if isinstance(owner, Module) else None
    if found is None or (found.scope and not is_extension):  # defined twice, for two platforms for example
        made = Class(owner.unit, 0, name, owner, 0, owner.line)
        world.classes.append(made)
        if found is None and isinstance(owner, Module) and world.is_shared(owner):
            world.extended[key] = made
        return made
    return found


def _fill_class(cls: Class, base: Variable, detail: Any) -> None:
    bases, metaclass, members, fields = detail
    cls.bases += [base + slot for slot in bases]
    cls.is_structural = cls.is_structural or metaclass == op.STRUCTURAL
    cls.metaclass = base + metaclass if metaclass >= 0 else -1
    cls.members.update({name: base + slot for name, slot in members})
    cls.fields += [name for name, _ in fields]
    for name, slot in fields:
        if slot >= 0:
            cls.own[name] = base + slot


def _fill_function(world: World, function: Function, base: Variable, detail: Any) -> None:
    parameters, positional, variadic, keyword, result, yielded, flags, passed = detail
    function.parameters = [base + slot for _, slot in parameters]
    function.names = {name: position for position, (name, _) in enumerate(parameters)}
    function.positional = positional
    function.result = base + result
    function.flags = flags
    function.passed = passed
    if variadic >= 0:
        function.variadic = world.container(op.TUPLE)
        world.solver.add(base + variadic, function.variadic)
    if keyword >= 0:
        function.keyword = world.container(op.MAPPING)
        world.solver.add(base + keyword, function.keyword)
    if yielded >= 0:
        function.generator = world.container(op.LIST)
        function.generator.function = function
        world.solver.copy(base + yielded, function.generator.rest)
