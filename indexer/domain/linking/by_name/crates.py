"""
Resolves paths of Rust through the modules of a crate, which follow its files, and into other crates of the tree.

A crate's root is a file that a manifest names, or a file that no file above it can declare as a module. The rows of a
manifest are imports: of the file that is the crate's root, under the crate's name, and of each crate on which it
depends, under the name that its code uses for the dependency.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.by_name.program import WILDCARD
from indexer.domain.linking.modules import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.domain.linking.by_name.program import ImportRow, Program
    from indexer.domain.model import LinkUnit

Place: TypeAlias = "tuple[int, int]"
_MANIFEST = "Cargo.toml"
_ROOTS = ("lib", "main")
_LIBRARY = ("std", "core", "alloc")


class Crates:
    """
    Resolves dotted paths to modules and symbols.

    Args:
        units: All files of the language, in order of path, including manifests.
        programs: Their programs, in the same order.
    """

    def __init__(self, units: Sequence[LinkUnit], programs: Sequence[Program]) -> None:
        self._units = units
        self._programs = programs
        self._files = {unit.path: position for position, unit in enumerate(units)}
        self._symbols: dict[int, dict[str, int]] = {}
        self._roots: set[int] = set()
        self._crates: dict[str, list[int]] = defaultdict(list)
        self._renamed: dict[str, dict[str, str]] = {}
        for unit, program in zip(units, programs, strict=True):
            folder, _, name = unit.path.rpartition("/")
            if name == _MANIFEST:
                self._declare(folder, program.imports)
        self._placed = {
            (unit, row.alias): place[0]
            for unit, program in enumerate(programs)
            for row in reversed(program.imports)
            if row.is_file and (place := self.imported(unit, row)) is not None
        }

    def _declare(self, folder: str, rows: Sequence[ImportRow]) -> None:
        self._renamed[folder] = {row.alias: row.written for row in rows if not row.is_file}
        for row in rows:
            root = self._at(folder, row.written) if row.is_file else None
            if root is not None:
                self._roots.add(root)
                if row.alias:
                    self._crates[row.alias].append(root)

    def place(self, unit: int, written: str, seen: set[tuple[int, str]] | None = None) -> Place | None:
        """
        Return the module or symbol to which a dotted path in a file refers, None if it is outside of the tree.

        Args:
            seen: Re-exported names that were already followed, to end cycles.
        """
        seen = seen if seen is not None else set()
        names = written.split(".")
        if names[0] == "crate":
            return self._below(self._root(unit), names[1:], seen)
        if names[0] in ("self", "super"):
            start: int | None = unit
            while names and start is not None and names[0] in ("self", "super"):
                start = self._parent(start) if names.pop(0) == "super" else start
            return self._below(start, names, seen) if start is not None else None
        inner, rest = self._inner(unit, names)
        if inner == unit and (crate := self._crate(unit, names[0])) is not None:
            inner, rest = crate, names[1:]
        return self._below(inner, rest, seen) if inner != unit else self._held(unit, names, seen)

    def imported(self, unit: int, row: ImportRow) -> Place | None:
        """
        Return the module or symbol to which an import refers; imports of files are those of manifests and attributes.

        The declaration of a module whose file an attribute names gives the importing file itself, as the row of the
        attribute already gives the module.
        """
        if not row.is_file:
            is_placed = not row.alias and (unit, row.written.removeprefix("self.")) in self._placed
            return (unit, 0) if is_placed else self.place(unit, row.written)
        found = self._at(posixpath.dirname(self._units[unit].path), row.written)
        return (found, 0) if found is not None else None

    def _at(self, folder: str, path: str) -> int | None:
        return self._files.get(posixpath.normpath(posixpath.join(folder, path)))

    def is_outside(self, unit: int, written: str) -> bool:
        """Return whether a path starts with a standard crate or a name that is imported from outside of the tree."""
        first = written.partition(".")[0]
        rows = [row for row in self._programs[unit].imports if _known_as(row).rpartition(".")[2] == first]
        return first in _LIBRARY or (bool(rows) and all(self.place(unit, row.written) is None for row in rows))

    def is_one(self, unit: int, other: int) -> bool:
        """Return whether two files belong to one crate."""
        return self._root(unit) == self._root(other)

    def _below(self, unit: int, names: Sequence[str], seen: set[tuple[int, str]]) -> Place:
        """Follow names down from a module through modules, then to a symbol; the last module if there is no symbol."""
        unit, rest = self._inner(unit, names)
        return (self._held(unit, rest, seen) if rest else None) or (unit, 0)

    def _inner(self, unit: int, names: Sequence[str]) -> tuple[int, Sequence[str]]:
        """Follow names down through modules that are files; return the last one and the remaining names."""
        for end in range(1, len(names) + 1):
            if (child := self._child(unit, "/".join(names[:end]))) is not None:
                return self._inner(child, names[end:])
        return unit, names

    def _held(self, unit: int, names: Sequence[str], seen: set[tuple[int, str]]) -> Place | None:
        """Return a symbol that a module's file defines or re-exports; re-exports of inline modules come first."""
        whole = ".".join(names)
        found = self._symbol(unit, names)
        if found is not None and self._units[unit].parsed.symbols[found[1]].qualified_name == whole:
            return found
        return self._passed_on(unit, names, seen, of_inline=True) or found or self._passed_on(unit, names, seen)

    def _symbol(self, unit: int, names: Sequence[str]) -> Place | None:
        """Return the symbol of the longest prefix of a path in a file: for a variant or associated item the owner."""
        if unit not in self._symbols:
            symbols = self._units[unit].parsed.symbols
            self._symbols[unit] = {each.qualified_name: at for at, each in reversed(list(enumerate(symbols))) if at}
        known = self._symbols[unit]
        starts = (".".join(names[:end]) for end in range(len(names), 0, -1))
        return next(((unit, known[start]) for start in starts if start in known), None)

    def _passed_on(
        self, unit: int, names: Sequence[str], seen: set[tuple[int, str]], *, of_inline: bool = False
    ) -> Place | None:
        """Follow a name that a module, or an inline module in its file, imports and so re-exports."""
        wanted = {names[0]: 1, WILDCARD: 0}
        if of_inline:
            wanted = {".".join(names[:end]): end for end in range(2, len(names) + 1)}
            wanted |= {".".join((*names[:end], WILDCARD)): end for end in range(1, len(names))}
        key = (unit, ".".join(names) if of_inline else names[0])
        if key in seen or not wanted:
            return None
        seen.add(key)
        for row in self._programs[unit].imports:
            known = _known_as(row) if of_inline else _known_as(row).rpartition(".")[2]
            if known in wanted and not row.is_file and _is_new(unit, row, known, seen):
                found = self.place(unit, ".".join((row.written, *names[wanted[known] :])), seen)
                if found is not None and (found[1] or not known.endswith(WILDCARD)):
                    return found
        return None

    def _child(self, unit: int, name: str) -> int | None:
        """Find a module's file: as its declaration states, below the declaring file, or in that file's folder."""
        if (unit, name) in self._placed:
            return self._placed[unit, name]
        path = self._units[unit].path
        folders = [path.removesuffix(".rs")]
        if path.endswith("/mod.rs") or self._parent(unit) is None:
            folders.append(posixpath.dirname(path))
        places = (posixpath.join(folder, each) for folder in folders for each in (f"{name}.rs", f"{name}/mod.rs"))
        found = (self._files.get(place) for place in places)
        return next((each for each in found if each is not None and each != unit), None)

    def _parent(self, unit: int) -> int | None:
        folder, _, name = self._units[unit].path.rpartition("/")
        stem = name.removesuffix(".rs")
        if unit in self._roots or stem in _ROOTS:
            return None
        above = posixpath.dirname(folder) if stem == "mod" else folder
        own = folder if stem == "mod" else f"{folder}/{stem}"
        for beside in self._owners(above):
            found = self._files.get(beside)
            if found is not None and found != unit and not beside.startswith(f"{own}/"):
                return found
        return None

    def _owners(self, folder: str) -> Iterator[str]:
        """Yield the paths of files that may declare the modules in a folder."""
        yield from (f"{folder}.rs", posixpath.join(folder, "mod.rs"))
        yield from (posixpath.join(folder, f"{name}.rs") for name in _ROOTS)
        yield from (path for root in sorted(self._roots) if posixpath.dirname(path := self._units[root].path) == folder)

    def _root(self, unit: int) -> int:
        seen = {unit}
        while (above := self._parent(unit)) is not None and above not in seen:
            seen.add(above)
            unit = above
        return unit

    def _crate(self, unit: int, name: str) -> int | None:
        """Find the root of the crate that has a name in the code of a file; the nearest of several."""
        path = self._units[unit].path
        for renamed in self._manifests(path):
            name = renamed.get(name, name)
        return nearest(path, self._crates.get(name, ()), lambda each: self._units[each].path)

    def _manifests(self, path: str) -> Iterator[Mapping[str, str]]:
        folder = path
        while folder:
            folder = posixpath.dirname(folder)
            if folder in self._renamed:
                yield self._renamed[folder]


def _is_new(unit: int, row: ImportRow, known: str, seen: set[tuple[int, str]]) -> bool:
    """Record a wildcard import as followed; return False if it already was, as inline modules may form cycles."""
    if not known.endswith(WILDCARD):
        return True
    key = (unit, f"{known} {row.written}")
    is_new = key not in seen
    seen.add(key)
    return is_new


def _known_as(row: ImportRow) -> str:
    """Return the name of an import in its file: the alias, with the inline module before it, or the last name."""
    return row.alias or row.written.rpartition(".")[2]
