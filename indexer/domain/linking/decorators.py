"""Applies decorators: finds the value of a decorated function or class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.domain.linking.solver.values import Definition, External, Function, Instance, Method, Partial, Value
from indexer.domain.linking.solver.world import EagerSite, bound

if TYPE_CHECKING:
    from collections.abc import Collection

    from indexer.domain.linking.loading import Loaded
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Variable
    from indexer.domain.linking.solver.world import Site


class Decorators:
    """Applies decorators."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._world = engine.world
        self._solver = engine.world.solver
        # (result, decorator, decorated) of each place that decorates something.
        self.applied: list[tuple[Variable, Variable, Variable]] = []
        self._decorated: set[Value] = set()

    def install(self, unit: Loaded, instruction: Any) -> None:
        """Call a decorator with the decorated function or class."""
        _, result, decorator, decorated, scope, line = instruction
        result, decorator, decorated = [unit.variables[slot] for slot in (result, decorator, decorated)]
        site = self._world.placed(EagerSite(unit.definitions[scope], line, result, (decorated,)))
        self.applied.append((result, decorator, decorated))
        self._decorated.update(self._solver.values[decorated])
        self._solver.watch(decorator, self._apply, (site, decorated))
        site.result = self._solver.variable()
        self._solver.watch(site.result, self._give_back, (result, decorated))

    def _apply(self, place: tuple[Site, Variable], decorator: Value) -> None:
        """Call a decorator; an external one is taken to return what it decorates."""
        site, decorated = place
        if isinstance(decorator, External):
            self._world.note_foreign(site, decorator.name)
            self._solver.copy(decorated, site.result)
            self._engine.semantics.call_foreign(self._engine, site, decorator.name)
        else:
            self._engine.calls.on(site, decorator)

    def _give_back(self, place: tuple[Variable, Variable], value: Value) -> None:
        """Add the result of a decorator; a closure becomes a wrapper of the decorated function, one copy for each."""
        result, decorated = place
        given = self._solver.values[decorated]
        if self._is_of_another(value, given):
            return
        wrapped = next((held for held in given if isinstance(held, Function)), None)
        if wrapped is not None and isinstance(value, Instance):
            called = self._engine.attributes.of_instance(value.cls, "__call__")
            self._solver.watch(called, self._represent, (result, wrapped))
        elif wrapped not in (None, value) and isinstance(value, Function) and isinstance(value.owner, Function):
            value = self._engine.wrapper_of(value, wrapped)
        self._solver.add(result, value)

    def _represent(self, place: tuple[Variable, Function], called: Value) -> None:
        """Let the `__call__` of an object that replaces a function be a wrapper of this function, as a closure is."""
        result, wrapped = place
        if isinstance(called, Method):
            self._solver.add(result, bound(self._engine.wrapper_of(called.function, wrapped), called.receiver))

    def _is_of_another(self, value: Value, decorated: Collection[Value]) -> bool:
        """
        Return whether a result of a decorator is not made of the function that is decorated here.

        There are two cases. All calls of a decorator share its parameters, so functions that it decorates elsewhere are
        results here as well. And a decorator that is first called with options may return a partial object of these.
        """
        values = self._solver.values
        if isinstance(value, Partial):
            held = [value.callee, *value.arguments, *(variable for _, variable in value.keywords)]
            return not any(given in values[variable] for variable in held if variable >= 0 for given in decorated)
        written = value
        while isinstance(written, Function) and written.wrapped is not None:
            written = written.wrapped
        if written not in self._decorated or value in decorated:
            return False
        return isinstance(written, Definition) and not isinstance(written.owner, Function)
