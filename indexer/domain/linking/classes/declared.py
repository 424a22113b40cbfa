"""Values of variables according to their declared types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.domain.linking.solver.values import Class, External, Value
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.loading import Loaded
    from indexer.domain.linking.solver.values import Definition, Variable
    from indexer.domain.linking.solver.world import World


class Declared:
    """Lets variables hold instances of their declared types and of subclasses."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._solver = world.solver
        self._made: dict[Class, tuple[int, list[Class]]] = {}

    def install(self, unit: Loaded, instruction: Any) -> None:
        """Install a declaration; subclasses are added later, when most created classes are known."""
        _, destination, named, unknown, scope, line = instruction
        place = (unit.variables[destination], unit.definitions[scope], line)
        if unknown >= 0:
            self._world.later(Tier.PROTOCOL, self._if_unknown, place, unit.variables[named], unit.variables[unknown])
        else:
            self._hold(place, unit.variables[named])

    def _if_unknown(self, place: tuple[Variable, Definition, int], named: Variable, unknown: Variable) -> None:
        if all(isinstance(value, External) for value in self._solver.values[unknown]):
            self._hold(place, named)

    def _hold(self, place: tuple[Variable, Definition, int], named: Variable) -> None:
        self._solver.watch(named, self._world.instantiate, place)
        self._solver.watch(named, self._subclasses, place[0])

    def _subclasses(self, destination: Variable, named: Value) -> None:
        if isinstance(named, Class):
            self._world.later(Tier.PROTOCOL, self._add_subclasses, destination, named)

    def _add_subclasses(self, destination: Variable, cls: Class) -> None:
        """Add subclasses with instances in the project, else all (rapid type analysis; Bacon, Sweeney 1996)."""
        for below in (self._made_below(cls) or cls.subclasses)[: self._solver.sets.size]:
            self._solver.add(destination, below.instance)

    def _made_below(self, cls: Class) -> list[Class]:
        """Return the subclasses of which instances were created so far."""
        constructed = self._world.constructed
        known, made = self._made.get(cls, (-1, []))
        if known != len(constructed):
            made = [below for below in cls.subclasses if below in constructed]
            self._made[cls] = (len(constructed), made)
        return made
