"""The part of a core layer's graph that precise edges need: symbols, inheritance and overrides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.model import EdgeKind, EdgeRow, Resolution, SymbolKind, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.domain.precise.sites import Place

_CONSTRUCTORS = frozenset({"__init__", "constructor", "__construct"})
_MAKERS = _CONSTRUCTORS | {"__new__", "__call__"}


@dataclass(frozen=True, slots=True)
class Node:
    """A symbol of the core layer; `dotted_name` begins with its module, `decorators` are names without qualifier."""

    id: int
    parent: int | None
    path: str
    kind: SymbolKind
    name: str
    qualified_name: str
    dotted_name: str
    line: int
    decorators: frozenset[str] = frozenset()


class Graph:
    """
    Symbols of a core layer, and how its classes descend from each other.

    Args:
        nodes: All symbols.
        inherits: Pairs (class, base), from the linker and all imports.
        overrides: Pairs (method, method that it implements or overrides), from all imports.
    """

    def __init__(
        self,
        nodes: Mapping[int, Node],
        inherits: Iterable[tuple[int, int]] = (),
        overrides: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.nodes = nodes
        self._ids: dict[tuple[str, str], list[int]] = {}
        self._members: dict[int, list[int]] = {}
        for node in nodes.values():
            self._ids.setdefault((node.path, node.qualified_name), []).append(node.id)
            if node.parent is not None:
                self._members.setdefault(node.parent, []).append(node.id)
        self._bases: dict[int, dict[int, None]] = {}
        for cls, base in inherits:
            self._bases.setdefault(cls, {})[base] = None
        self._overrides = frozenset(overrides)
        self._ancestors: dict[int, tuple[int, ...]] = {}

    def find(self, place: Place) -> int | None:
        """Return the id of the symbol at a place, None if there is none; see `find_in`."""
        return self.find_in(place.path, place.name, place.line)

    def find_in(self, path: str, name: str, line: int) -> int | None:
        """Return the symbol with a qualified name that starts in a line; if none does, the only symbol of that name."""
        found = self._ids.get((path, name), [])
        exact = [each for each in found if self.nodes[each].line == line]
        return exact[0] if exact else found[0] if len(found) == 1 else None

    def ancestors(self, cls: int) -> tuple[int, ...]:
        """Return a class and all that it descends from, nearest first."""
        known = self._ancestors.get(cls)
        if known is None:
            found = {cls: None}
            for each in (queue := [cls]):
                for base in self._bases.get(each, ()):
                    if base not in found:
                        found[base] = None
                        queue.append(base)
            known = self._ancestors[cls] = tuple(found)
        return known

    def constructor(self, cls: int) -> int:
        """Return the nearest constructor of a class, its own or inherited; the class itself if there is none."""
        for each in self.ancestors(cls):
            for member in self._members.get(each, ()):
                if self.nodes[member].name in _CONSTRUCTORS | {self.nodes[each].name}:
                    return member
        return cls

    def makes(self, function: int, cls: int) -> bool:
        """Return whether a function helps to create instances of a class: a constructor, `__new__` or `__call__`."""
        owner = self.nodes[function].parent
        if owner is None or owner not in self.ancestors(cls):
            return False
        return self.nodes[function].name in _MAKERS | {self.nodes[owner].name}

    def allows(self, meant: int, found: int) -> bool:
        """Return whether a use of the definition `meant` may execute the definition `found`."""
        one, other = self.nodes[meant], self.nodes[found]
        if (one.path, one.qualified_name) == (other.path, other.qualified_name) or self.overriding(found, meant):
            return True
        return one.kind is SymbolKind.CLASS and self.makes(found, meant)

    def stands_for(self, wrapper: int, function: int) -> bool:
        """Return whether a function is the wrapper of a decorator, called in place of the decorated function."""
        owner = self.nodes[wrapper].parent
        names = set()
        while owner is not None:
            names.add(self.nodes[owner].name)
            owner = self.nodes[owner].parent
        return bool(names & self.nodes[function].decorators)

    def overriding(self, function: int, base: int) -> bool:
        """Return whether a call of `base` may run `function` instead."""
        if (function, base) in self._overrides:
            return True
        owner, other = self.nodes[function].parent, self.nodes[base].parent
        if owner is None or other is None or owner == other or self.nodes[function].name != self.nodes[base].name:
            return False
        return other in self.ancestors(owner)

    def names(self, symbol: int) -> tuple[str, ...]:
        """Return the names by which source code may call a symbol: its own; for a constructor also its class's."""
        node = self.nodes[symbol]
        if node.name in _MAKERS and node.parent is not None:
            return (node.name, self.nodes[node.parent].name)
        return (node.name,)


def precise_edge(graph: Graph, source: int, target: int, kind: EdgeKind, line: int) -> EdgeRow:
    """Return an edge of the tier PRECISE to a symbol of the repository."""
    name = graph.nodes[target].dotted_name
    return EdgeRow(source, target, name, kind, line, 1.0, Tier.PRECISE, Resolution.RESOLVED)


def external_edge(source: int, name: str, kind: EdgeKind, line: int) -> EdgeRow:
    """Return an edge of the tier PRECISE to a symbol outside of the repository."""
    return EdgeRow(source, None, name, kind, line, 1.0, Tier.PRECISE, Resolution.EXTERNAL)
