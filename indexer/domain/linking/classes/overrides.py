"""Which classes below another one have a member of a name themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.linking.solver.solver import Solver
    from indexer.domain.linking.solver.values import Class

# A look at a class costs about this part of a step of the solver.
_LOOKS_PER_STEP = 8


class Overrides:
    """
    Looks through the subclasses of a class once for each name, until some class gets a new member of that name.

    Args:
        solver: Counts these looks among its steps: many names of a class with many below it are many looks.
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
        """Look again for a name: a class has it now that had it not."""
        self._known.pop(name, None)
