"""Resolves what needs no propagation of values: modules, base classes, and effects of decorators on functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking import program as op
from indexer.domain.linking.modules import seen_from
from indexer.domain.linking.solver.values import Class, Definition, External, Function, Module, Value
from indexer.domain.linking.solver.world import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from indexer.domain.linking.program import Instruction
    from indexer.domain.linking.solver.world import World

_DEFINING = frozenset((op.COPY, op.DEFINE, op.IMPORT, op.NAME, op.LOAD, op.DECORATE, op.GET_ITEM, op.CALL))
MAX_DEPTH = 60
MAX_ANCESTORS = 256


class Hierarchy:
    """
    Resolves a slot by following names, imports and attributes of modules and classes backwards.

    This is exact for names that are defined once, as nearly all classes and decorators are.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._defining: list[dict[int, list[Instruction]]] = []
        self._definitions: list[Sequence[Definition]] = []
        self._exports: list[dict[str, tuple[int, int]]] = []
        self._keys: dict[int, tuple[str, str]] = {}
        self._shared: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
        self._known: dict[tuple[int, int], list[Value]] = {}
        self._bases: dict[Class, tuple[int, tuple[int, ...]]] = {}
        self._members: dict[Class, dict[str, int]] = {}

    def add_unit(self, program: op.Program, definitions: Sequence[Definition]) -> None:
        """Add a unit; units must be added in order of their numbers."""
        _, scopes, exports, _, code = program
        index: dict[int, list[Instruction]] = {}
        for instruction in code:
            if instruction[0] in _DEFINING:
                index.setdefault(instruction[1], []).append(instruction)  # type: ignore[arg-type]  # a slot
        unit = len(self._defining)
        self._defining.append(index)
        self._definitions.append(definitions)
        module = definitions[0]
        key = (module.name, self._world.rules.realm(module)) if isinstance(module, Module) else ("", "")
        known = self._shared.setdefault(key, {}) if scopes[0][5] else {}
        self._keys |= {unit: key} if scopes[0][5] else {}
        for name, slot in exports:
            known.setdefault(name, (unit, slot))
        self._exports.append(known)
        for definition, scope in zip(definitions, scopes, strict=True):
            if isinstance(definition, Class) and scope[0] == op.CLASS:
                bases, _, members, _ = scope[5]
                self._bases[definition] = (unit, bases)  # type: ignore[assignment]  # slots, by the program's format
                self._members[definition] = dict(members)  # type: ignore[call-overload]  # likewise

    def add_missing(self) -> None:
        """Add a unit that has no program."""
        self._defining.append({})
        self._definitions.append(())
        self._exports.append({})

    def resolve(self, unit: int, slot: int, depth: int = 0) -> list[Value]:
        """Return the modules, classes, functions and external values of a slot, as far as they can be resolved."""
        key = (unit, slot)
        known = self._known.get(key)
        if known is None:
            self._known[key] = []  # ends cycles
            found: dict[Value, None] = {}
            if depth < MAX_DEPTH:
                for instruction in self._defining[unit].get(slot, ()):
                    found.update(dict.fromkeys(self._one(unit, instruction, depth + 1)))
            known = self._known[key] = list(found)
        return known

    def _one(self, unit: int, instruction: Instruction, depth: int) -> list[Value]:
        match instruction:
            case (op.COPY, _, int(source)):
                return self.resolve(unit, source, depth)
            case (op.DEFINE, _, int(scope)):
                return [self._definitions[unit][scope]]
            case (op.IMPORT, _, str(module), str(name), *_):
                return self._imported(unit, module, name, depth)
            case (op.NAME, _, str(name)):
                return self._named(unit, name, depth)
            case (op.LOAD, _, int(owner), str(name), *_):
                owners = self.resolve(unit, owner, depth)
                return [value for owned in owners for value in self._attribute(owned, name, depth)]
            case (op.DECORATE, _, _, int(decorated), *_):
                return self.resolve(unit, decorated, depth)
            case (op.GET_ITEM, _, int(owner), *_):
                return [value for value in self.resolve(unit, owner, depth) if isinstance(value, Class | External)]
            case (op.CALL, _, int(callee), *_):
                return [value for value in self.resolve(unit, callee, depth) if isinstance(value, External)]
        return []

    def _imported(self, unit: int, module: str, name: str, depth: int) -> list[Value]:
        world = self._world
        importer = world.units[unit]
        assert importer is not None
        found = world.find_module(module, importer, name)
        if found is None:
            inner = world.find_module(joined(module, name), importer)
            return [inner or world.external(world.import_name(module, name, importer))]
        if name:
            return self._attribute(found, name, depth)
        whole = self._exports[found.unit].get(world.rules.whole_export)
        return [found, *(self.resolve(whole[0], whole[1], depth) if whole is not None else ())]

    def _named(self, unit: int, name: str, depth: int) -> list[Value]:
        module = self._world.units[unit]
        assert module is not None
        values = self._export(module, name, depth)
        return values or [self._world.external(self._world.rules.free_name(name))]

    def _export(self, module: Module, name: str, depth: int) -> list[Value]:
        for each in self._world.stars.of(module):
            place = self._exports[each.unit].get(name)
            if place is not None and ((found := self.resolve(place[0], place[1], depth)) or each is module):
                return found
        return []

    def _attribute(self, owner: Value, name: str, depth: int) -> list[Value]:
        if isinstance(owner, External):
            return [self._world.external(f"{owner.name}.{name}")]
        if isinstance(owner, Module):
            found = self._export(owner, name, depth)
            if not found and name == "default":
                found = self._export(owner, self._world.rules.whole_export, depth)
            if not found and (inner := self._world.submodule(owner, name)):
                return [inner]
            return found
        return self._member(owner, name, depth) if isinstance(owner, Class) else []

    def _member(self, cls: Class, name: str, depth: int) -> list[Value]:
        """Return the values of a member of a class or of the first ancestor that has it, depth first."""
        seen: set[Value] = set()
        waiting: list[Value] = [cls]
        while waiting:
            owner = waiting.pop()
            if owner in seen:
                continue
            seen.add(owner)
            if not isinstance(owner, Class):
                return self._attribute(owner, name, depth)  # of an external base
            slot = self._members.get(owner, {}).get(name)
            if slot is None:
                waiting += reversed(self.bases(owner, depth))
            elif (found := self.resolve(owner.unit, slot, depth)) or owner is cls:
                return found
        return []

    def bases(self, cls: Class, depth: int = 0) -> list[Value]:
        """Return the bases of a class, in order: classes and external values."""
        unit, slots = self._bases.get(cls, (cls.unit, ()))
        found = [value for slot in slots for value in self.resolve(unit, slot, depth)[:2]]
        return [value for value in dict.fromkeys(found) if isinstance(value, Class | External) and value is not cls]

    def order_classes(self) -> None:
        """Find the resolution order and the external ancestors of every class; call it when all units are added."""
        views = seen_from(self._shared)
        for unit, key in self._keys.items():
            self._exports[unit] = views[key]
        done: set[Class] = set()
        for cls in self._world.classes:
            self._order(cls, done, 0)
        for cls in self._world.classes:
            for ancestor in cls.order[1:]:
                ancestor.subclasses.append(cls)

    def find_implementations(self) -> None:
        """Find for each structural interface the classes that have all its methods."""
        interfaces = [cls for cls in self._world.classes if cls.is_structural]
        if not interfaces:
            return
        names = {cls: {name for each in cls.order for name in each.members} for cls in self._world.classes}
        holders: dict[str, dict[Class, None]] = {}
        for cls, held in names.items():
            for name in held:
                holders.setdefault(name, {})[cls] = None
        # Interfaces with the same methods share one list.
        implementing: dict[frozenset[Function | str], list[Class]] = {}
        for interface in interfaces:
            wanted = self._declared(interface, names[interface])
            key = frozenset(method or name for name, method in wanted.items())
            if key not in implementing:
                rarest = min((holders[name] for name in sorted(wanted)), key=len, default={})
                implementing[key] = [
                    cls
                    for cls in rarest
                    if not cls.is_structural and wanted.keys() <= names[cls] and self._fits(cls, wanted)
                ]
            known = set(interface.subclasses)
            unset = {name for name in names[interface] if self._is_property(interface, name)} - self._world.stored
            implicit = [cls for cls in implementing[key] if cls not in known and unset <= names[cls]]
            interface.implicit = implicit if self._world.rules.shows_implementations else []
            interface.subclasses = [*interface.subclasses, *implicit] if known else implementing[key]

    def _declared(self, interface: Class, names: Iterable[str]) -> dict[str, Function | None]:
        """Return the members that an interface requires, by name; with `shows_implementations`, methods only."""
        if not self._world.rules.shows_implementations:
            return dict.fromkeys(names)
        methods = {name: self._method(interface, name) for name in sorted(names)}
        return {name: method for name, method in methods.items() if method is not None and not method.is_property}

    def _is_property(self, cls: Class, name: str) -> bool:
        method = self._method(cls, name)
        return method is not None and method.is_property

    def _method(self, cls: Class, name: str) -> Function | None:
        values = self._member(cls, name, 0)
        return values[0] if len(values) == 1 and isinstance(values[0], Function) else None

    def _fits(self, cls: Class, wanted: Mapping[str, Function | None]) -> bool:
        for name, declared in wanted.items():
            if declared is not None:
                method = self._method(cls, name)
                if method is None or not self._world.rules.fits(method, declared):
                    return False
        return True

    def _order(self, cls: Class, done: set[Class], depth: int) -> None:
        if cls in done or depth > MAX_DEPTH:
            return
        done.add(cls)
        bases = self.bases(cls)
        inner = cls.parents = [base for base in bases if isinstance(base, Class)]
        for base in inner:
            self._order(base, done, depth + 1)
        cls.order = self._searched(cls, inner)
        foreign = [base.name for base in bases if isinstance(base, External)]
        cls.is_structural = cls.is_structural or any(name in self._world.rules.structural_bases for name in foreign)
        cls.is_enum = any(map(self._world.rules.is_enumeration, foreign)) or any(base.is_enum for base in inner)
        cls.foreign = list(dict.fromkeys([*foreign, *(name for base in inner for name in base.foreign)]))

    def _searched(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Return the resolution order; over `MAX_ANCESTORS` a simple order, cut, as `linearize` would be slow."""
        if sum(len(base.order) for base in bases) <= MAX_ANCESTORS:
            return self._world.rules.linearize(cls, bases)
        found = dict.fromkeys(ancestor for base in bases for ancestor in base.order)
        return [cls, *(ancestor for ancestor in found if ancestor is not cls)][:MAX_ANCESTORS]

    def mark_decorated(self) -> None:
        """Apply the language's rules for external decorators to functions."""
        rules = self._world.rules
        for unit, index in enumerate(self._defining):
            for slot, instructions in index.items():
                for instruction in instructions:
                    if instruction[0] == op.DECORATE:
                        self._mark(unit, slot, instruction[2], rules.decorate)  # type: ignore[arg-type]  # a slot

    def _mark(self, unit: int, slot: int, decorator: int, decorate: Callable[[Function, str], None]) -> None:
        decorators = self.resolve(unit, decorator)
        for function in self.resolve(unit, slot):
            if isinstance(function, Function):
                for value in decorators:
                    if isinstance(value, External):
                        decorate(function, value.name)
                    if isinstance(value, Definition) or function.is_property:
                        self._world.computed.add(function.name)

    def mark_descriptors(self) -> None:
        """Record the names of members that may be descriptors: those that are neither functions nor classes."""
        if not self._world.rules.has_descriptors:
            return
        for cls, members in self._members.items():
            for name, slot in members.items():
                if not any(isinstance(value, Function | Class) for value in self.resolve(cls.unit, slot)):
                    self._world.computed.add(name)
