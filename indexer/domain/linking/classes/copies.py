"""
Copies of classes whose objects store arguments, one for each place that creates such an object.

All instances of a class are one value, so all registries of a program would seem to hold each other's items. Objects
that store arguments, and the records that they create, are therefore instances of a copy of their class: its methods
are installed once more, with fields of their own (heap cloning; Lattner, Lenharth, Adve, PLDI 2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking import program as op
from indexer.domain.linking.loading import fill_function
from indexer.domain.linking.solver.packed import unpack
from indexer.domain.linking.solver.values import Class, Function, Value
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.loading import Loaded
    from indexer.domain.linking.solver.constraints import Constraints
    from indexer.domain.linking.solver.values import Definition, Variable
    from indexer.domain.linking.solver.world import Site, World

# Greatest number of copies of a class, and of one whose objects are created by copies. Further objects are instances of
# the class itself.
MAX_COPIES = 8
MAX_RECORDS = 32
# Greatest number of instructions in all methods of a copied class, and of one whose objects are created by copies.
MAX_INSTRUCTIONS = 300
MAX_RECORD = 30
MAX_DEPTH = 2


class Bodies:
    """The code of methods in one unit, by scope."""

    def __init__(self, unit: Loaded) -> None:
        _, scopes, _, _, self.code = unpack(unit.packed)
        self.unit = unit
        self.of = {each[1]: each for each in self.code if each[0] == op.BODY}
        self.details = [scope[5] for scope in scopes]
        self.inner: dict[int, list[int]] = {}
        for number in self.of:
            self.inner.setdefault(scopes[number][2], []).append(number)

    def within(self, scope: int) -> list[int]:
        """Return the scopes in a class or function that have code."""
        found = [*self.inner.get(scope, ())]
        for each in found:
            found += self.inner.get(each, ())
        return found

    def size(self, scope: int) -> int:
        """Count the instructions of the methods of a class."""
        return sum(self.of[each][5] - self.of[each][4] for each in self.within(scope))


class Copies:
    """Makes copies of classes for the sites that create objects."""

    def __init__(self, world: World, constraints: Constraints) -> None:
        self._world = world
        self._constraints = constraints
        self._units: dict[int, Loaded] = {}
        self._bodies: dict[int, Bodies] = {}
        self._sizes: dict[Class, int] = {}
        self._made: dict[tuple[Site, Class], Class] = {}
        self._counts: dict[Class, int] = {}

    def load(self, units: list[Loaded]) -> None:
        """Register the units, whose code is needed for copies."""
        self._units = {unit.module.unit: unit for unit in units}

    def of(self, site: Site, cls: Class) -> Class:
        """Return the class of the object that a site creates: a copy of the called class, or that class itself."""
        made = self._made.get((site, cls))
        if made is None:
            made = self._made[site, cls] = self._class_of(site, cls)
        return made

    def _class_of(self, site: Site, cls: Class) -> Class:
        around = site.scope.context if isinstance(site.scope, Function) else None
        if around is not None and around.original is cls:
            return around  # objects that an object creates of its own class share its copy
        return self._copy(site, cls) if self._is_copied(site, cls, around) else cls

    def _is_copied(self, site: Site, cls: Class, around: Class | None) -> bool:
        if self._world.tier > Tier.ARGUMENT or site.callee < 0 or cls.is_copy:
            return False
        if around is None:
            return _is_outside(site.scope, cls) and self._keeps(cls) and self._fits(cls, MAX_INSTRUCTIONS, MAX_COPIES)
        if around.depth >= MAX_DEPTH:
            return False
        return self._fits(cls, MAX_RECORD, MAX_RECORDS)

    def _keeps(self, cls: Class) -> bool:
        """Return whether objects of a class store arguments and return them, by methods of the class or a base."""
        if cls.keeps == op.KEEPS | op.GIVES:
            return True
        inherits = any(each.keeps == op.KEEPS | op.GIVES for each in cls.order)
        return inherits and self._of_unit(cls).size(cls.scope) <= MAX_RECORD

    def _fits(self, cls: Class, most: int, copies: int) -> bool:
        if self._counts.get(cls, 0) >= copies:
            return False
        if cls not in self._sizes:
            self._sizes[cls] = sum(self._of_unit(each).size(each.scope) for each in cls.order)
        return self._sizes[cls] <= most

    def _of_unit(self, definition: Definition) -> Bodies:
        if definition.unit not in self._bodies:
            self._bodies[definition.unit] = Bodies(self._units[definition.unit])
        return self._bodies[definition.unit]

    def _copy(self, site: Site, cls: Class) -> Class:
        self._counts[cls] = self._counts.get(cls, 0) + 1
        self._world.copied.add(cls)
        made = Class(cls.unit, cls.scope, cls.name, cls.owner, cls.symbol, cls.line)
        around = site.scope.context if isinstance(site.scope, Function) else None
        made.original, made.depth = cls, around.depth + 1 if around is not None else 1
        made.order, made.parents, made.subclasses = [made, *cls.order], cls.parents, cls.subclasses
        made.foreign, made.is_enum, made.is_structural = cls.foreign, cls.is_enum, cls.is_structural
        for ancestor in reversed(cls.order):
            functions = self._copy_methods(ancestor, made)
            members = made.copied[ancestor] = {}
            for name, variable in ancestor.members.items():
                members[name] = made.members[name] = self._world.solver.variable()
                self._world.solver.watch(variable, self._take, (members[name], functions))
        return made

    def _take(self, place: tuple[Variable, dict[Value, Function]], value: Value) -> None:
        variable, functions = place
        self._world.solver.add(variable, functions.get(value, value))

    def _copy_methods(self, cls: Class, made: Class) -> dict[Value, Function]:
        """Copy the functions in the body of a class, and install their code."""
        bodies = self._of_unit(cls)
        unit, solver = bodies.unit, self._world.solver
        scopes = bodies.within(cls.scope)
        moved: dict[int, Variable] = {}
        for scope in scopes:
            parameters, _, variadic, keyword, result, *_ = bodies.details[scope]
            own = [*(slot for _, slot in parameters), variadic, keyword, result, *range(*bodies.of[scope][2:4])]
            for slot in own:
                if slot >= 0 and slot not in moved:
                    moved[slot] = solver.variable()
        copied = unit.copied(moved)
        copied.number_slots()
        functions: dict[Value, Function] = {}
        for scope in scopes:
            function = unit.definitions[scope]
            if isinstance(function, Function):
                twin = copied.definitions[scope] = functions[function] = self._twin(function, made)
                fill_function(self._world, twin, copied.variables, bodies.details[scope])
                self._receive(twin, function)
        copied.variables.clear()
        outer = [each for each in bodies.code if each[0] == op.COPY and each[1] in moved and each[2] not in moved]
        inner = [each for scope in scopes for each in bodies.code[slice(*bodies.of[scope][4:6])]]
        self._constraints.install_code(copied, [*outer, *inner])
        return functions

    def _twin(self, function: Function, made: Class) -> Function:
        twin = Function(function.unit, function.scope, function.name, function.owner, function.symbol, function.line)
        twin.original, twin.context = function, made
        twin.holder = made if function.holder is not None else None
        self._world.functions.append(twin)
        return twin

    def _receive(self, twin: Function, function: Function) -> None:
        """Copy what decorators changed of a method, and let its first parameter hold an instance of the copy."""
        twin.flags, twin.is_property, twin.is_fixture = function.flags, function.is_property, function.is_fixture
        if twin.holder is not None and twin.positional and not twin.flags & op.IS_STATIC:
            receiver = twin.holder if twin.flags & op.IS_CLASS_METHOD else twin.holder.instance
            self._world.solver.add(twin.parameters[0], receiver)


def _is_outside(scope: Definition | None, cls: Class) -> bool:
    while scope is not None and scope is not cls:
        scope = scope.owner
    return scope is None
