"""Everything that is defined in the files of one language, by name."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.failures import Failures
from indexer.domain.linking.by_name.program import NO_PROGRAM, loaded
from indexer.domain.linking.solver.packed import unpack
from indexer.domain.model import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.linking.by_name.program import CallRow, Program
    from indexer.domain.model import LinkUnit


@dataclass(frozen=True, slots=True)
class NamedDefinition:
    """
    A callable or a type.

    Args:
        unit: Position of its file.
        full_name: Dotted, with the namespace, without the module.
        owner: Dotted name of the enclosing definition, with the namespace; "" at the top.
        module: Name of its file's module.
        least: Least number of arguments.
        most: Greatest number of arguments; -1 for any number.
    """

    unit: int
    symbol: int
    name: str
    full_name: str
    owner: str
    module: str
    is_type: bool
    is_member: bool
    is_declaration: bool
    is_local: bool
    least: int
    most: int

    @property
    def container(self) -> str:
        """Return the last name of the enclosing type, namespace or module."""
        return (self.owner or self.module).rpartition(".")[2]

    def takes(self, count: int) -> bool:
        """Return whether it accepts `count` arguments; True for a negative count, which means unknown."""
        return count < 0 or (self.least <= count and (self.most < 0 or count <= self.most))


_NAME = re.compile(r"\w+")


class Definitions:
    """
    Looks up definitions; lists are in order of file and symbol.

    Args:
        units: All files of the language, in order of path.

    Raises UnitsFailed.
    """

    def __init__(self, units: Sequence[LinkUnit]) -> None:
        self.programs: list[Program] = []
        self._units = units
        self._callables: dict[str, list[NamedDefinition]] = defaultdict(list)
        self._functions: dict[str, list[NamedDefinition]] = defaultdict(list)
        self._members: dict[str, list[NamedDefinition]] = defaultdict(list)
        self._in_file: dict[tuple[str, int], list[NamedDefinition]] = defaultdict(list)
        self._in_container: dict[tuple[str, str], list[NamedDefinition]] = defaultdict(list)
        self._types: dict[str, list[NamedDefinition]] = defaultdict(list)
        self._bases: dict[str, list[str]] = defaultdict(list)
        self._fields: dict[tuple[str, str], str] = {}
        self._owners: set[str] = set()
        self._places: dict[tuple[int, int], NamedDefinition] = {}
        self._modules: dict[str, list[int]] = defaultdict(list)
        self._symbols: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._files: dict[str, list[int]] = defaultdict(list)
        failures = Failures()
        for position, unit in enumerate(units):
            with failures.contained(position):
                program = loaded(unpack(unit.parsed.program)) if unit.parsed.program else NO_PROGRAM
                self.programs.append(program)
                self._add(position, unit, program)
        failures.require_none()

    def _add(self, position: int, unit: LinkUnit, program: Program) -> None:
        symbols = unit.parsed.symbols
        self._modules[symbols[0].name.rpartition(".")[2]].append(position)
        for at, each in enumerate(symbols[1:], 1):
            self._symbols[each.name].append((position, at))
        self._files[posixpath.basename(unit.path)].append(position)
        for row in program.definitions:
            symbol = symbols[row.symbol]
            owner = joined(program.space, row.owner)
            found = NamedDefinition(
                position, row.symbol, symbol.name, joined(owner, symbol.name), owner, unit.module,
                symbol.kind == SymbolKind.CLASS, bool(row.is_member), bool(row.is_declaration), bool(row.is_local),
                row.least, row.most,
            )  # fmt: skip
            self._owners.add(owner.rpartition(".")[2])
            self._places[position, row.symbol] = found
            if found.is_type:
                self._types[found.name].append(found)
            else:
                self._add_callable(found)
        for field in program.fields:
            self._fields.setdefault((joined(program.space, field.owner), field.name), field.type)
        for base in program.bases:
            self._bases[joined(program.space, base.owner)].append(base.base)

    def _add_callable(self, found: NamedDefinition) -> None:
        self._callables[found.name].append(found)
        (self._members if found.is_member else self._functions)[found.name].append(found)
        self._in_file[found.full_name, found.unit].append(found)
        self._in_container[found.name, found.container].append(found)

    def at(self, place: tuple[int, int]) -> NamedDefinition | None:
        """Return the definition of a symbol of a file."""
        return self._places.get(place)

    def bodies(self, name: str) -> list[NamedDefinition]:
        """List functions and methods of a name that have a body and are visible in other files."""
        return [each for each in self._callables.get(name, ()) if not each.is_declaration and not each.is_local]

    def functions(self, name: str, unit: int) -> list[NamedDefinition]:
        """List functions of a name that a file can see."""
        return [each for each in self._functions.get(name, ()) if not each.is_local or each.unit == unit]

    def members(self, name: str) -> list[NamedDefinition]:
        """List methods of a name."""
        return self._members.get(name, [])

    def in_file(self, full_name: str, unit: int) -> list[NamedDefinition]:
        """List functions and methods of a dotted name in a file."""
        return self._in_file.get((full_name, unit), [])

    def in_container(self, name: str, container: str, unit: int) -> list[NamedDefinition]:
        """List functions and methods of a name, visible in a file, in types, namespaces and modules `container`."""
        found = self._in_container.get((name, container), ())
        return [each for each in found if not each.is_local or each.unit == unit]

    def types(self, name: str) -> list[NamedDefinition]:
        """List types of a name."""
        return self._types.get(name, [])

    def bases(self, owner: str) -> list[str]:
        """List the dotted names that a type inherits from, as written."""
        return list(dict.fromkeys(self._bases.get(owner, ())))

    def is_container(self, name: str) -> bool:
        """Return whether a type, namespace or module has this name."""
        return name in self._types or name in self._modules or name in self._owners

    def dotted(self, name: str) -> list[tuple[int, int]]:
        """List (unit, symbol) of modules and definitions whose dotted name ends with this one."""
        last = name.rpartition(".")[2]
        found = [(unit, 0) for unit in self._modules.get(last, ()) if _ends(self._module_name(unit), name)]
        if not found and "." in name:
            found = [place for place in self._symbols.get(last, ()) if _ends(self.dotted_name(*place), name)]
        return found

    def file(self, written: str, importer: str, endings: Sequence[str], *, beside: bool) -> list[int]:
        """List the files to which an imported path may refer: that relative to the importer, else the nearest."""
        names = [written, *(written + ending for ending in endings)]
        folder = posixpath.dirname(importer)
        for name in names:
            near = posixpath.normpath(posixpath.join(folder, name))
            candidates = self._files.get(posixpath.basename(name), ())
            if beside and (found := [unit for unit in candidates if self._units[unit].path == near]):
                return found
            clean = posixpath.normpath(name).removeprefix("../")
            if found := [unit for unit in candidates if f"/{self._units[unit].path}".endswith(f"/{clean}")]:
                shared = {
                    unit: len(posixpath.commonprefix((folder.split("/"), self._units[unit].path.split("/"))))
                    for unit in found
                }
                return [unit for unit in found if shared[unit] == max(shared.values())]
        return []

    def dotted_name(self, unit: int, symbol: int) -> str:
        """Return the dotted name of a symbol, which starts with its module."""
        symbols = self._units[unit].parsed.symbols
        return joined(symbols[0].name, symbols[symbol].qualified_name)

    def receiver_type(self, unit: int, call: CallRow) -> str:
        """Return the declared type of a call's receiver, which may be a field of the enclosing type; "" if unknown."""
        own = f"{call.receiver}.{call.name}"
        if call.of_type or not call.owner or call.written.removeprefix("this.").removeprefix("self.") != own:
            return call.of_type
        return self._fields.get((joined(self.programs[unit].space, call.owner), call.receiver), "")

    def words_of(self, found: NamedDefinition) -> set[str]:
        """Return the names in the signature of a definition."""
        return set(_NAME.findall(self._units[found.unit].parsed.symbols[found.symbol].signature))

    def _module_name(self, unit: int) -> str:
        return self._units[unit].parsed.symbols[0].name


def joined(prefix: str, name: str) -> str:
    """Join two dotted names; either may be empty."""
    return f"{prefix}.{name}" if prefix and name else prefix or name


def _ends(name: str, end: str) -> bool:
    return f".{name}".endswith(f".{end}")


def narrowed(candidates: Sequence[NamedDefinition], count: int) -> Iterator[NamedDefinition]:
    """Drop declarations if there are definitions, and overloads of other arity if one takes `count` arguments."""
    bodies = [each for each in candidates if not each.is_declaration] or list(candidates)
    yield from [each for each in bodies if each.takes(count)] or bodies


def nearest(candidates: list[NamedDefinition], unit: int) -> list[NamedDefinition]:
    """Drop declarations if there are definitions; keep only those in the file `unit` if there are any."""
    bodies = [each for each in candidates if not each.is_declaration] or candidates
    return [each for each in bodies if each.unit == unit] or bodies
