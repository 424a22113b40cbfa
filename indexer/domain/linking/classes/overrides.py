"""Finds the subclasses of a class that define a member of a given name themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.linking.solver.solver import Solver
    from indexer.domain.linking.solver.values import Class

# Looking at this many classes costs about as much as one step of the solver.
_LOOKS_PER_STEP = 8


class Overrides:
    """
    Finds overrides, and caches them by class and name until a class gets a new member of that name.

    Args:
        solver: Its steps count these searches, which take long for a class with many names and many subclasses.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._known: dict[str, dict[Class, list[Class]]] = {}

    def below(self, cls: Class, name: str) -> list[Class]:
        """Return the classes below one that have the name among their own members."""
        known = self._known.setdefault(name, {})
        found = known.get(cls)
        if found is None:
            self._solver.steps += len(cls.subclasses) // _LOOKS_PER_STEP
            found = known[cls] = [below for below in cls.subclasses if name in below.members]
        return found

    def forget(self, name: str) -> None:
        """Drop the cached results for a name, as a class got a new member of this name."""
        self._known.pop(name, None)
