"""What Java's library does with functions, runnables and the elements of collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.program import LIST
from indexer.domain.linking.solver.values import Container, Function, Instance, Method, Value, without_arity
from indexer.domain.linking.solver.world import EagerSite
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import ContainerMethod
    from indexer.domain.linking.solver.world import Site

EngineSite: TypeAlias = "tuple[Engine, Site]"
# What takes an object and runs it on another thread.
_RUNNERS = frozenset(
    ("Thread", "submit", "execute", "schedule", "scheduleAtFixedRate", "runAsync", "supplyAsync", "invokeAll")
)
_TASKS = ("run(0)", "call(0)", "get(0)")
_ADDING = frozenset(("add", "addFirst", "addLast", "offer", "push", "set", "put", "putIfAbsent", "addElement"))
_WORDS_OF_TAKING = """
get getOrDefault getFirst getLast remove removeFirst removeLast poll pollFirst pollLast peek pop element first last
next take orElse orElseGet orElseThrow join block computeIfAbsent merge put getValue invoke invokeExact
"""
_TAKING = frozenset(_WORDS_OF_TAKING.split())
_WORDS_OF_SAME = """
stream parallelStream iterator listIterator values filter sorted distinct limit skip collect toList findFirst findAny
min max subList entrySet boxed ifPresentOrElse
"""
_SAME = frozenset(_WORDS_OF_SAME.split())
_MAPPING = frozenset(("map", "mapToObj", "thenApply", "flatMap", "andThen"))


def call_back(engine: Engine, site: Site, name: str) -> None:
    """Let what is handed to the library be called by it, from the place where it is handed over."""
    last = without_arity(name).rpartition(".")[2]
    inner = engine.world.site(site.scope, site.line, -1)
    for argument in site.arguments:
        if argument >= 0:
            engine.world.later(Tier.CONTAINER, engine.world.solver.watch, argument, _called, (engine, inner))
            if last in _RUNNERS:
                engine.world.later(Tier.CONTAINER, engine.world.solver.watch, argument, _run, (engine, inner))
    if last == "start" and site.receiver >= 0:
        engine.world.later(Tier.CONTAINER, engine.world.solver.watch, site.receiver, _run, (engine, inner))


def _called(place: EngineSite, value: Value) -> None:
    engine, site = place
    if isinstance(value, Function | Method):
        engine.calls.on(site, value)


def _run(place: EngineSite, value: Value) -> None:
    engine, site = place
    if isinstance(value, Instance):
        for name in _TASKS:
            engine.calls.call_method(site, value, name)


def call_container(engine: Engine, site: Site, method: ContainerMethod) -> None:
    """Move elements in and out of a collection, and hand them to the functions among the arguments."""
    name, container, solver = without_arity(method.name), method.container, engine.world.solver
    if name in _ADDING and site.arguments and site.arguments[-1] >= 0:
        solver.copy(site.arguments[-1], container.rest)
    produced = solver.variable()
    elements = (container.every, container.every)
    inner = engine.world.placed(EagerSite(site.scope, site.line, produced, elements))
    for argument in site.arguments:
        if argument >= 0:
            solver.watch(argument, _called, (engine, inner))
    if site.result >= 0:
        _give(engine, site, name, container)
        if name in _MAPPING:
            mapped = engine.world.container(LIST)
            solver.copy(produced, mapped.rest)
            solver.watch(produced, _flatten, (engine, mapped))
            engine.world.give(site, mapped)


def _give(engine: Engine, site: Site, name: str, container: Container) -> None:
    if name in _TAKING:
        engine.world.give_all(site, container.every)
    if name in _SAME:
        engine.world.give(site, container)


def _flatten(place: tuple[Engine, Container], value: Value) -> None:
    engine, mapped = place
    if isinstance(value, Container):
        engine.world.solver.copy(value.every, mapped.rest)
