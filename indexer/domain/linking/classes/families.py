"""Method families: the methods of a class and its subclasses whose names have one prefix."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.linking.attributes import Attributes
    from indexer.domain.linking.solver.solver import Solver
    from indexer.domain.linking.solver.values import Class, Family, Variable

MAX_NAMES = 100


class Families:
    """
    Finds the methods of a family, and caches them until a class gets a new member whose name has the family's prefix.

    Names are sorted, so that a family looks only at the names with its prefix. Looked-at classes and names count as
    steps of the solver, since a class may have both many subclasses and many families.
    """

    def __init__(self, attributes: Attributes, solver: Solver) -> None:
        self._attributes = attributes
        self._solver = solver
        # By class: (name, position in the code), sorted by name.
        self._names: dict[Class, list[tuple[str, int]]] = {}
        self._known: dict[str, dict[Family, list[tuple[str, Variable]]]] = {}
        self._lengths: dict[int, None] = {}

    def methods(self, family: Family) -> list[tuple[str, Variable]]:
        """Return (name without prefix, variable) of the family's methods, for each class that has the method."""
        known = self._known.setdefault(family.prefix, {})
        self._lengths[len(family.prefix)] = None
        found = known.get(family)
        if found is None:
            found = known[family] = self._find(family)
        return found

    def note(self, cls: Class, name: str) -> None:
        """Record a new member of a class, and drop the cached families whose prefix its name has."""
        if cls in self._names:
            insort(self._names[cls], (name, len(cls.members) - 1))
        for length in self._lengths:
            self._known.pop(name[:length], None)

    def _find(self, family: Family) -> list[tuple[str, Variable]]:
        own = family.receiver.cls
        classes = [own, *own.subclasses]
        names: dict[str, None] = {}
        for cls in [*own.order, *own.subclasses]:
            names.update(dict.fromkeys(self._starting(cls, family.prefix)))
        kept = list(names)[:MAX_NAMES]
        self._solver.steps += len(own.order) + len(classes) * (1 + len(kept))
        return [
            (name[len(family.prefix) :], self._attributes.of_instance(cls, name))
            for name in kept
            for cls in classes
            if self._attributes.find(cls, name) is not None
        ]

    def _starting(self, cls: Class, prefix: str) -> list[str]:
        """Return the names of a class's members with a prefix, in the order of the code."""
        names = self._names.get(cls)
        if names is None:
            names = self._names[cls] = sorted((name, place) for place, name in enumerate(cls.members))
        first = last = bisect_left(names, (prefix,))
        while last < len(names) and names[last][0].startswith(prefix):
            last += 1
        return [name for name, _ in sorted(names[first:last], key=lambda each: each[1])]
