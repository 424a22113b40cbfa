"""Creates the modules, classes and functions of all units from their programs."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from indexer.domain.failures import Failures
from indexer.domain.linking import program as op
from indexer.domain.linking.classes.hierarchy import Hierarchy
from indexer.domain.linking.program import NOTHING
from indexer.domain.linking.solver.packed import unpack
from indexer.domain.linking.solver.values import Class, Definition, Function, Module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.solver.values import Variable
    from indexer.domain.linking.solver.world import World
    from indexer.domain.model import LinkUnit


class Loaded:
    """
    A unit with its definitions.

    Args:
        base: The variable of slot 0.
        slots: Number of slots.
        definitions: Modules, classes and functions by scope.
        packed: Its program as bytes.
        code: The instructions, until they are installed.
        size: Number of slots, instructions, and items of containers; the work bound depends on it.
        variables: Variables by slot, while code is installed; the last is -1, for `NOTHING`.
        moved: In a copy, its own variables by slot, in place of those of the original.
    """

    __slots__ = ("base", "code", "definitions", "module", "moved", "packed", "size", "slots", "variables")

    def __init__(
        self, module: Module, base: Variable, program: op.Program, definitions: list[Definition], packed: bytes
    ) -> None:
        self.module = module
        self.base = base
        self.slots = program[0]
        tables: list[Any] = [instruction for instruction in program[4] if instruction[0] == op.CONTAINER]
        self.size = self.slots + len(program[4]) + sum(len(items) for _, _, _, items, _ in tables)
        self.definitions = definitions
        self.packed = packed
        self.code = program[4]
        self.variables: list[Variable] = []
        self.moved: dict[int, Variable] = {}

    def number_slots(self) -> None:
        """Fill `variables`."""
        self.variables += [*range(self.base, self.base + self.slots), NOTHING]
        for slot, variable in self.moved.items():
            self.variables[slot] = variable

    def copied(self, moved: dict[int, Variable]) -> Loaded:
        """Return the unit for a copy of some of its code, with its own variables and list of definitions."""
        found = copy(self)
        found.moved, found.definitions, found.variables = moved, [*self.definitions], []
        return found


def load(world: World, units: Sequence[LinkUnit]) -> list[Loaded]:
    """Create modules, classes and functions of all units, and resolve the class hierarchy. Raises UnitsFailed."""
    hierarchy = Hierarchy(world)
    loaded: list[Loaded] = []
    stars: list[tuple[Module, str]] = []
    failures = Failures()
    for number, unit in enumerate(units):
        if unit.parsed.language != world.rules.language or not unit.parsed.program:
            world.units.append(None)
            hierarchy.add_missing()
            continue
        with failures.contained(number):
            found, names = _load_unit(world, hierarchy, number, unit)
            loaded.append(found)
            stars += [(found.module, name) for name in names]
    failures.require_none()
    world.complete_packages()
    for module, name in stars:
        module.stars.append(world.find_module(name, module) or world.import_name(name, "", module))
    hierarchy.order_classes()
    hierarchy.mark_decorated()
    hierarchy.find_implementations()
    hierarchy.mark_descriptors()
    return loaded


def _load_unit(world: World, hierarchy: Hierarchy, number: int, unit: LinkUnit) -> tuple[Loaded, Sequence[str]]:
    """Load a unit; return it with the names of the modules from which it imports all names."""
    program = unpack(unit.parsed.program)
    is_package = unit.path.rpartition("/")[2].startswith(("__init__.", "index."))
    module = Module(number, program[1][0][1], unit.path, is_package=is_package)
    world.units.append(module)
    world.modules.add(module, unit.aliases)
    base, definitions = _define(world, hierarchy, module, program)
    world.stored.update(instruction[2] for instruction in program[4] if instruction[0] == op.STORE)
    return Loaded(module, base, program, definitions, unit.parsed.program), program[3]


def _define(
    world: World, hierarchy: Hierarchy, module: Module, program: op.Program
) -> tuple[Variable, list[Definition]]:
    """Create the definitions of a unit; return the variable of its slot 0, and the definitions by scope."""
    slots, scopes, exports, _, _ = program
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
            _fill_class(world, cls, base, detail)
            definitions.append(cls)
        else:
            function = Function(module.unit, number, name, owner, symbol, line)
            fill_function(world, function, range(base, base + slots), detail)
            world.functions.append(function)
            definitions.append(function)
            if function.holder is not None:
                function.holder.keeps |= function.flags & (op.KEEPS | op.GIVES)
                world.methods.setdefault(name, []).append(function)
    for name, slot in exports:
        _add_name(world, module.exports, name, base + slot)
    hierarchy.add_unit(program, definitions)
    return base, definitions


def _class_of(world: World, owner: Definition, name: str, *, is_extension: bool) -> Class:
    """Return a new class, or the existing one that an extension extends or that an earlier extension created."""
    key = (owner.name, name)
    found = world.extended.get(key) if isinstance(owner, Module) else None
    if found is None or (found.scope and not is_extension):  # defined twice, for two platforms for example
        made = Class(owner.unit, 0, name, owner, 0, owner.line)
        world.classes.append(made)
        if found is None and isinstance(owner, Module) and world.is_shared(owner):
            world.extended[key] = made
        return made
    return found


def _add_name(world: World, names: dict[str, Variable], name: str, slot: Variable) -> None:
    """Add a name of a module or class; if variants for several platforms define it, it holds all their values."""
    known = names.setdefault(name, slot)
    if known != slot and world.rules.has_variants:
        names[name] = either = world.solver.variable()
        world.solver.copy(known, either)
        world.solver.copy(slot, either)


def _fill_class(world: World, cls: Class, base: Variable, detail: Any) -> None:
    bases, metaclass, members, fields = detail
    cls.bases += [base + slot for slot in bases]
    cls.is_structural = cls.is_structural or metaclass == op.STRUCTURAL
    cls.metaclass = base + metaclass if metaclass >= 0 else -1
    for name, slot in members:
        if world.rules.has_variants:
            _add_name(world, cls.members, name, base + slot)
        else:
            cls.members[name] = base + slot
    cls.fields += [name for name, _ in fields]
    for name, slot in fields:
        if slot >= 0:
            cls.own[name] = base + slot


def fill_function(world: World, function: Function, variables: Sequence[Variable], detail: Any) -> None:
    """Set the attributes of a function from the detail of its scope."""
    parameters, positional, variadic, keyword, result, yielded, flags, passed, *types = detail
    function.parameters = [variables[slot] for _, slot in parameters]
    function.names = {name: position for position, (name, _) in enumerate(parameters)}
    function.positional = positional
    function.result = variables[result]
    function.flags = flags
    function.passed = passed
    function.types = types[0] if types else ()
    if variadic >= 0:
        function.variadic = world.container(op.TUPLE)
        world.solver.add(variables[variadic], function.variadic)
    if keyword >= 0:
        function.keyword = world.container(op.MAPPING)
        world.solver.add(variables[keyword], function.keyword)
    if yielded >= 0:
        function.generator = world.container(op.LIST)
        function.generator.function = function
        world.solver.copy(variables[yielded], function.generator.rest)
