"""Models of what frameworks do with the functions that they are given; the tables are in `frameworks.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.modelling import argument
from indexer.domain.linking.program import LIST, TUPLE
from indexer.domain.linking.python import frameworks
from indexer.domain.linking.solver.values import (
    Class,
    Container,
    Definition,
    External,
    Function,
    Injected,
    Instance,
    Literal,
    Method,
    Module,
    Partial,
    Registry,
    Value,
)
from indexer.domain.linking.solver.world import WideSite, container_method
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Variable
    from indexer.domain.linking.solver.world import Site


def call_framework(engine: Engine, site: Site, name: str) -> bool:
    """Model a call of a framework's function, or a decoration by it; return False if nothing is known of it."""
    owner, _, last = name.rpartition(".")
    root = name.partition(".")[0]
    handlers = frameworks.HANDLERS.get(root, {})
    handler = (
        handlers.get(last) or handlers.get(f"{owner.rpartition('.')[2]}.{last}") or frameworks.EVERYWHERE.get(last)
    )
    if name in frameworks.REGISTRIES or name == frameworks.USING_FIXTURES:
        _make_registry(engine, site, name)
    elif owner in frameworks.REGISTRIES and site.receiver >= 0 and last in frameworks.REGISTRY_METHODS:
        engine.world.solver.watch(site.receiver, _use_registry, (engine, site, last))
    elif name in frameworks.DEPENDENCIES:
        _depend(engine, site)
    elif last in frameworks.CLASS_VIEWS and site.receiver >= 0:
        _later(engine, site, site.receiver, is_served=True)
    elif handler is not None:
        _hand_over(engine, site, name, handler)
    elif name.startswith(frameworks.WRAPPERS):
        _wrap(engine, site, name)
    else:
        return _is_own(engine, site, name, root)
    return True


def call_unknown(engine: Engine, site: Site) -> None:
    """Model a call of a method by its name alone, if that is sufficient."""
    handler = frameworks.EVERYWHERE.get(site.attribute)
    if handler is not None:
        _hand_over(engine, site, "", handler)


def _hand_over(engine: Engine, site: Site, name: str, handler: tuple[int, str]) -> None:
    """Let the framework run the handler that it is given; what comes back may be a decorator."""
    position, keyword = handler
    if not site.eager:
        variable = argument(site, position, keyword)
    else:
        variable = site.arguments[0] if position >= 0 or not keyword else -1
    if variable >= 0:
        _later(engine, site, variable, is_served=not name or name.partition(".")[0] in frameworks.SERVING)
    if not site.eager and name:
        engine.world.give(site, engine.world.external(name))


def _later(engine: Engine, site: Site, variable: Variable, *, is_served: bool) -> None:
    inner = engine.world.placed(WideSite(site.scope, site.line, -1))
    place = (engine, inner, is_served)
    engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, variable, _run, place)


def _run(place: tuple[Engine, Site, bool], value: Value) -> None:
    """Run a handler: a function, the methods of a class or object, a module by its name, or where a router was made."""
    engine, site, is_served = place
    if isinstance(value, Class | Instance):
        cls = value if isinstance(value, Class) else value.cls
        if value is cls or not is_served:
            engine.calls.on(site, value)
        for name in frameworks.VIEW_METHODS if is_served else ():
            engine.calls.call_method(site, cls.instance, name)
    elif isinstance(value, Function | Method | Partial):
        engine.calls.on(site, value)
    elif isinstance(value, Registry):
        _run_module(site, value.made)
    elif isinstance(value, Module):
        _run_module(site, value)
    elif isinstance(value, Literal) and not value.is_prefix:
        _run_named(place, str(value.value))
    elif isinstance(value, Container) and value.kind == TUPLE:
        engine.world.solver.watch_once(engine.world.item(value, 0), _run, place)


def _run_module(site: Site, module: Definition) -> None:
    if isinstance(module, Module) and module is not site.scope:
        site.constructed = {**site.constructed, module: Tier.PROTOCOL}


def _run_named(place: tuple[Engine, Site, bool], dotted: str) -> None:
    """Run the definition of a dotted name: `app.urls`, `app.views.index`."""
    engine, site, _ = place
    world = engine.world
    importer = world.units[site.scope.unit]
    assert importer is not None
    module = world.find_module(dotted, importer)
    if module is not None:
        _run_module(site, module)
        return
    owner, _, name = dotted.rpartition(".")
    module = world.find_module(owner, importer) if owner else None
    variable = engine.attributes.of_module(module, name) if module is not None else None
    if variable is not None:
        world.solver.watch_once(variable, _run, place)


def _make_registry(engine: Engine, site: Site, name: str) -> None:
    if site.result >= 0 and not site.eager:
        kept = engine.world.container(LIST)
        engine.world.give(site, Registry(name, site.scope, kept))
        for given in site.arguments if name == frameworks.USING_FIXTURES else ():
            if given >= 0:
                engine.world.solver.copy(given, kept.rest)


def _use_registry(place: tuple[Engine, Site, str], registry: Value) -> None:
    """Keep a handler, or run all that are kept."""
    engine, site, method = place
    if not isinstance(registry, Registry):
        return
    if method == "connect":
        handler = argument(site, 0, "receiver")
        if handler >= 0:
            engine.world.solver.copy(handler, registry.kept.rest)
    else:
        inner = engine.world.site(site.scope, site.line, -1, site.arguments, site.keywords)
        engine.world.later(Tier.CONTAINER, engine.world.solver.watch, registry.kept.every, engine.calls.on, inner)


def decorate_receiver(engine: Engine, site: Site) -> bool:
    """`@receiver(signal)`: one's own signals keep what it decorates, all others are the framework's."""
    if site.eager:
        _hand_over(engine, site, "django.dispatch.receiver", (0, ""))
    elif site.arguments and site.arguments[0] >= 0:
        engine.world.solver.watch(site.arguments[0], _receiver_of, (engine, site))
    return True


def _receiver_of(place: tuple[Engine, Site], signal: Value) -> None:
    engine, site = place
    if isinstance(signal, Registry):
        engine.world.give(site, container_method(signal.kept, "append"))
    elif isinstance(signal, External):
        engine.world.give(site, engine.world.external("django.dispatch.receiver"))
    elif isinstance(signal, Container):
        engine.world.solver.watch_once(signal.every, _receiver_of, place)


def _depend(engine: Engine, site: Site) -> None:
    """`Depends(f)`: the function whose parameter it fills calls `f`; if it fills none, the scope that it is in does."""
    injected = Injected(argument(site, 0, "dependency"), site.scope, site.line)
    engine.world.give(site, injected)
    engine.world.later(Tier.CONTAINER, _depend_here, engine, site, injected)


def _depend_here(engine: Engine, site: Site, injected: Injected) -> None:
    if not injected.taken and injected.callee >= 0:
        inner = engine.world.site(site.scope, site.line, -1)
        engine.world.solver.watch(injected.callee, engine.calls.on, inner)


def _wrap(engine: Engine, site: Site, name: str) -> None:
    """A wrapper represents the wrapped function; a decorator factory is called once more."""
    if site.eager:
        return
    if site.arguments and site.arguments[0] >= 0:
        engine.world.solver.watch(site.arguments[0], _keep_callable, (engine, site))
    engine.world.give(site, engine.world.external(name))


def _keep_callable(place: tuple[Engine, Site], value: Value) -> None:
    engine, site = place
    if isinstance(value, Function | Method | Class | Partial):
        engine.world.give(site, value)


def _is_own(engine: Engine, site: Site, name: str, root: str) -> bool:
    """Some packages give nothing but their own objects, whose methods are none of the project's."""
    if root not in frameworks.OWN_OBJECTS and name not in frameworks.OWN_RESULTS:
        return False
    received = engine.world.solver.values[site.receiver] if site.receiver >= 0 else ()
    if any(isinstance(value, Instance | Class) for value in received):
        return False  # the project's own, by inheritance
    if not site.eager:
        engine.world.give(site, engine.world.external(name))
    return True
