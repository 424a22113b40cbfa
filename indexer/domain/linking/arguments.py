"""Passes the arguments of a call to the parameters of its targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.solver.value_sets import Crowd
from indexer.domain.linking.solver.values import Class, Function, Instance, Method, Value, Variable, is_below
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.solver.containers import Containers
    from indexer.domain.linking.solver.world import Site, World


class Arguments:
    """Lets values flow from arguments to parameters: of eager sites at once, of others from the tier ARGUMENT on."""

    def __init__(self, world: World, containers: Containers) -> None:
        self._world = world
        self._solver = world.solver
        self._containers = containers
        self._declared: dict[Variable, tuple[Class, ...]] = {}
        self._received: set[tuple[Function, Value]] = set()

    def hand_in_all(self) -> None:
        """Pass the arguments of all calls resolved so far to their parameters."""
        for site in list(self._world.sites):
            if self._solver.is_spent:
                break
            for value in site.seen:
                if isinstance(value, Method):
                    self.hand_in_late(site, value.function, value.receiver)
                elif isinstance(value, Function):
                    self.hand_in_late(site, value, None)

    def hand_in_late(self, site: Site, function: Function, receiver: Value | None) -> None:
        """Pass arguments to a function and to the functions that it wraps, except where that was done at once."""
        if function.original not in site.targets or self._has_copy(site, receiver):
            return
        wrapped = function.wrapped if site.eager else function
        while wrapped is not None:
            self.hand_in(site, function, wrapped, receiver)
            wrapped = wrapped.wrapped

    def _has_copy(self, site: Site, receiver: Value | None) -> bool:
        """Return whether the site also calls a copy of the receiver's class, which is more precise."""
        if not isinstance(receiver, Instance) or receiver.cls not in self._world.copied:
            return False
        others = [value.receiver for value in site.seen if isinstance(value, Method)]
        return any(isinstance(each, Instance) and each.cls.original is receiver.cls is not each.cls for each in others)

    def hand_in(self, site: Site, called: Function, function: Function, receiver: Value | None) -> None:
        """Pass a call's arguments to the parameters, once for each site regardless of its receivers."""
        if receiver is not None:
            self._receive(site, function, receiver)
            if _first_receiver(site, called) is not receiver:
                return
        self._bind(site, function, receiver is not None)

    def note_declared(self) -> None:
        """Record the declared classes of parameters: classes of their values before arguments are passed."""
        values = self._solver.values
        for function in self._world.functions:
            for parameter in function.parameters:
                declared = tuple([value.cls for value in values[parameter] if isinstance(value, Instance)])
                if declared:
                    self._declared[parameter] = declared

    def _receive(self, site: Site, function: Function, receiver: Value) -> None:
        """
        Let the receiver flow to the first parameter.

        At sites that are not eager this waits for the tier OVERRIDE. The receiver may be an instance of a subclass, and
        overrides in that subclass are called only where the program creates such instances.
        """
        if not function.positional:
            if function.variadic is not None:
                self._solver.add(self._world.item(function.variadic, 0), receiver)
        elif site.eager:
            self._solver.add(function.parameters[0], receiver)
        elif (function, receiver) not in self._received:
            self._received.add((function, receiver))
            self._world.later(Tier.OVERRIDE, self._solver.add, function.parameters[0], receiver)

    def _bind(self, site: Site, function: Function, has_receiver: bool) -> None:
        """Pass positional and keyword arguments to parameters, starting after the receiver's if there is one."""
        solver, parameters = self._solver, function.parameters
        place = int(has_receiver and bool(function.positional or function.variadic is not None))
        for variable in site.arguments:
            if variable < -1:
                self._spread(site, -2 - variable, function, place)
                break
            if place < function.positional:
                if variable >= 0:
                    self._hand_over(variable, parameters[place])
            elif function.variadic is not None and variable >= 0:
                solver.copy(variable, self._world.item(function.variadic, place - function.positional))
            place += 1
        self._bind_keywords(site, function)

    def _bind_keywords(self, site: Site, function: Function) -> None:
        solver, parameters = self._solver, function.parameters
        for name, variable in site.keywords:
            if variable < 0:
                continue
            if name in function.names:
                self._hand_over(variable, parameters[function.names[name]])
            elif not name:
                self._spread_mapping(variable, function)
            elif function.keyword is not None:
                solver.copy(variable, self._world.item(function.keyword, name))

    def _hand_over(self, argument: Variable, parameter: Variable) -> None:
        """Let an argument flow to a parameter; instances only if they are of a declared class, or none is declared."""
        declared = self._declared.get(parameter)
        if declared is None:
            self._solver.copy(argument, parameter)
        else:
            self._solver.watch(argument, self._admit, (parameter, declared))

    def _admit(self, place: tuple[Variable, tuple[Class, ...]], value: Value) -> None:
        parameter, declared = place
        if not isinstance(value, Instance) or any(is_below(value.cls, cls) for cls in declared):
            self._solver.add(parameter, value)

    def _spread(self, site: Site, source: Variable, function: Function, place: int) -> None:
        """Pass the elements of `*source` to the positional parameters from `place` on."""
        if site.scope.__class__ is Function and site.scope.is_wrapper:
            return
        for position in range(place, function.positional):
            self._containers.read(source, position - place, function.parameters[position])
        if function.variadic is not None:
            self._containers.read(source, None, function.variadic.rest)

    def _spread_mapping(self, source: Variable, function: Function) -> None:
        for name, position in function.names.items():
            self._containers.read_key(source, name, function.parameters[position])
        if function.keyword is not None:
            self._containers.read(source, None, function.keyword.rest)


def _first_receiver(site: Site, function: Function) -> Value | None:
    """Return the receiver that a function was first called with at a site."""
    if isinstance(site.seen, Crowd):
        return site.seen.receivers.get(function)
    for value in site.seen:
        if isinstance(value, Method) and value.function is function:
            return value.receiver
    return None
