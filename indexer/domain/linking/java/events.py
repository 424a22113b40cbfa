"""Events: the publisher of an object calls the listeners of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.solver.values import Class, Function, Instance, Value, Variable, is_below
from indexer.domain.linking.solver.world import bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.world import Site

    Listeners = list[tuple[Class, Function]]

# Annotations of methods that are called with events of their parameter's class, and how those are published.
LISTENERS = {
    **dict.fromkeys(("EventListener", "TransactionalEventListener", "ApplicationModuleListener"), "publishEvent(1)"),
    "Subscribe": "post(1)",
}


def connect_listeners(engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
    """
    Connect publishers with listeners.

    Args:
        named: Listening methods, each with its annotation and the variable of the parameter that takes the event.
    """
    listeners: dict[str, Listeners] = {}
    for function, annotation, event in named:
        for value in engine.world.solver.values[event]:
            if isinstance(value, Instance):
                listeners.setdefault(LISTENERS[annotation], []).append((value.cls, function))
    if not listeners:
        return
    for site in list(engine.world.sites):
        if site.attribute in listeners and site.arguments[0] >= 0:
            inner = engine.world.site(site.scope, site.line, -1, site.arguments)
            engine.world.solver.watch(site.arguments[0], _publish, (engine, inner, listeners[site.attribute]))


def _publish(place: tuple[Engine, Site, Listeners], event: Value) -> None:
    engine, site, listeners = place
    if isinstance(event, Instance):
        for cls, function in listeners:
            if is_below(event.cls, cls) and function.holder is not None:
                engine.calls.on(site, bound(function, function.holder.instance))
