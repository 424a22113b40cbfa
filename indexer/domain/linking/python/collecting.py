"""What makes lists and mappings of Python: `list(...)`, `dict(...)` and those of the standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.modelling import argument, call_held, give_list
from indexer.domain.linking.program import LIST, MAPPING
from indexer.domain.linking.values import Container, Instance, Value
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.world import Site


def listed(engine: Engine, site: Site) -> bool:
    """`tuple(x)`, `iter(x)` and their like: what holds the elements of the first argument."""
    source = argument(site, 0)
    if source >= 0:
        engine.world.solver.watch(source, _list_of, (engine, site))
    return True


def list_made(engine: Engine, site: Site) -> bool:
    """`list()`, `set()`, `deque()`: the same, or a list that is filled later."""
    if not site.arguments:
        engine.world.give(site, engine.world.container(LIST))
    return listed(engine, site)


def _list_of(place: tuple[Engine, Site], value: Value) -> None:
    engine, site = place
    if isinstance(value, Container):
        engine.world.give(site, value)
    elif isinstance(value, Instance):
        element = engine.world.solver.variable()
        inner = engine.world.site(site.scope, site.line, element)
        engine.world.later(Tier.PROTOCOL, engine.protocols.iterate, inner, value)
        give_list(engine, site, element)


def mapping_made(engine: Engine, site: Site) -> bool:
    """`dict(x, key=value)`: a mapping of its own, with what it is made of under the same keys."""
    made = engine.world.container(MAPPING)
    engine.containers.update(site, made)
    engine.world.give(site, made)
    source = argument(site, 0)
    if source >= 0:
        engine.world.solver.watch(source, _fill_from, (engine, site, made))
    return True


def _fill_from(place: tuple[Engine, Site, Container], value: Value) -> None:
    """An object that has keys is asked for them, and for what is under each; any other for pairs."""
    engine, site, made = place
    if not isinstance(value, Instance):
        return
    if engine.attributes.find(value.cls, "keys") is None:
        inner = engine.world.site(site.scope, site.line, -1)
        engine.world.later(Tier.PROTOCOL, engine.protocols.iterate, inner, value)
        return
    for name, result in (("keys", -1), ("__getitem__", made.rest)):
        inner = engine.world.site(site.scope, site.line, result)
        engine.world.later(Tier.PROTOCOL, engine.calls.call_method, inner, value, name)


def mapping_by_factory(engine: Engine, site: Site) -> bool:
    """`defaultdict(factory)`: a mapping of its own that holds what the factory gives."""
    made = engine.world.container(MAPPING)
    engine.world.give(site, made)
    factory = argument(site, 0, "default_factory")
    if factory >= 0:
        call_held(engine, site, factory, result=made.rest)
    return True
