"""What frameworks call: handlers of routes, and listeners of events by the event's literal name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from indexer.domain.linking.javascript.builtins import call_back
from indexer.domain.linking.program import MAPPING
from indexer.domain.linking.solver.values import Class, Instance, Literal, Registry, Value
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Variable
    from indexer.domain.linking.solver.world import Site

# Packages whose functions and objects route requests to handlers, and whose objects have the name of what made them.
_SERVERS: Final = frozenset(
    ("express", "fastify", "koa", "@koa/router", "koa-router", "hono", "restify", "polka", "http", "https", "net",
     "node:http", "node:https", "node:net", "ws", "socket.io", "express-promise-router")
)  # fmt: skip
_ROUTING: Final = frozenset(
    ("get", "post", "put", "patch", "delete", "head", "options", "all", "use", "route", "param", "listen", "addHook",
     "createServer", "Router", "register", "setErrorHandler", "setNotFoundHandler", "on", "of")
)  # fmt: skip
_VERBS: Final = frozenset(("get", "post", "put", "patch", "delete", "head", "options", "all"))

# Emitters: True if events have names.
_EMITTERS: Final = {
    **dict.fromkeys(
        ("events", "events.EventEmitter", "node:events", "node:events.EventEmitter", "eventemitter3", "eventemitter2",
         "eventemitter3.EventEmitter", "mitt", "tiny-emitter", "EventTarget", "<builtin>.EventTarget"),
        True,
    ),
    **dict.fromkeys(
        ("rxjs.Subject", "rxjs.BehaviorSubject", "rxjs.ReplaySubject", "@angular/core.EventEmitter"), False
    ),
}  # fmt: skip
_LISTENING: Final = frozenset(
    ("on", "once", "addListener", "prependListener", "prependOnceListener", "addEventListener", "subscribe")
)
_EMITTING: Final = frozenset(("emit", "next", "dispatchEvent"))
_KEPT: Final = "(listeners)"


def call_framework(engine: Engine, site: Site, name: str) -> bool:
    """Model a call of a framework's function; return False if nothing is known of it."""
    owner, _, last = name.rpartition(".")
    if name in _EMITTERS:
        engine.world.give(site, Registry(name, site.scope, engine.world.container(MAPPING)))
        return True
    if owner in _EMITTERS and site.receiver >= 0 and (last in _LISTENING or last in _EMITTING):
        engine.world.solver.watch(site.receiver, _use_emitter, (engine, site, owner, last))
        return True
    if _is_server(name) and (last in _ROUTING or not owner):
        call_back(engine, site)
        engine.world.give(site, engine.world.external(name))
        return True
    return False


def call_unknown(engine: Engine, site: Site) -> None:
    """A call named like an HTTP method, with a literal path before handlers, registers a route on any receiver."""
    first = site.arguments[0] if len(site.arguments) > 1 else -1
    if site.attribute in _VERBS and first >= 0:
        paths = engine.world.solver.values[first]
        if paths and all(isinstance(path, Literal) and str(path.value).startswith("/") for path in paths):
            call_back(engine, site)


def _is_server(name: str) -> bool:
    return any(name == server or name.startswith(f"{server}.") for server in _SERVERS)


def _use_emitter(place: tuple[Engine, Site, str, str], emitter: Value) -> None:
    """Keep a listener under its event, or call those of an event; instances of a class share what they keep."""
    engine, _, owner, _ = place
    if isinstance(emitter, Registry):
        _listen_or_emit(place, emitter)
    elif isinstance(emitter, Instance) and owner in emitter.cls.foreign:
        kept = engine.attributes.own(_emitting_class(emitter.cls), _KEPT)
        if not engine.world.solver.values[kept]:
            engine.world.solver.add(kept, Registry(owner, emitter.cls, engine.world.container(MAPPING)))
        engine.world.solver.watch(kept, _listen_or_emit, place)


def _emitting_class(cls: Class) -> Class:
    return [ancestor for ancestor in cls.order if ancestor.foreign][-1]


def _listen_or_emit(place: tuple[Engine, Site, str, str], emitter: Value) -> None:
    engine, site, owner, method = place
    if not isinstance(emitter, Registry):
        return
    world, is_named = engine.world, _EMITTERS[owner]
    event: Variable = site.arguments[0] if is_named and site.arguments else -1
    known = world.solver.values[event] if event >= 0 else ()
    kept = [world.item(emitter.kept, value.value) for value in known if isinstance(value, Literal)]
    given = site.arguments[is_named:]
    if method in _EMITTING:
        inner = world.site(site.scope, site.line, -1, given)
        for listeners in [*kept, emitter.kept.rest] if kept else [emitter.kept.every]:
            world.later(Tier.CONTAINER, world.solver.watch, listeners, engine.calls.on, inner)
    elif given and given[0] >= 0:
        for listeners in kept or [emitter.kept.rest]:
            world.solver.copy(given[0], listeners)
