"""What makes lists and mappings of Python: `list(...)`, `dict(...)` and those of the standard library."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from indexer.domain.linking.modelling import argument, call_held, give_list
from indexer.domain.linking.program import LIST, MAPPING
from indexer.domain.linking.solver.values import Container, Instance, Value
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.world import Site


def listed(engine: Engine, site: Site) -> bool:
    """`tuple(x)`, `iter(x)` and their like: what holds the elements of the first argument."""
    source = argument(site, 0)
    if source >= 0:
        engine.world.solver.watch(source, _list_of, (engine, site))
    return True


def list_made(engine: Engine, site: Site) -> bool:
    """`list(x)`, `set(x)`, `deque(x)`: a list of its own, with the elements of the first argument."""
    made = engine.world.container(LIST)
    engine.world.give(site, made)
    source = argument(site, 0)
    if source >= 0:
        inner = engine.world.site(site.scope, site.line, made.rest)
        engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, source, _collect, (engine, inner, made))
    return True


def _collect(place: tuple[Engine, Site, Container], value: Value) -> None:
    """Fill a list: from another one by position, from anything else with what iterating over it gives."""
    engine, inner, made = place
    if isinstance(value, Container) and value.kind != MAPPING and value.function is None:
        engine.world.later(Tier.CONTAINER, engine.containers.take_over, made, value)
    else:
        engine.protocols.iterate(inner, value)


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
    made = _filled_mapping(engine, site, 0)
    source = argument(site, 0)
    if source >= 0:
        engine.world.solver.watch(source, _fill_from, (engine, site, made))
    return True


def _filled_mapping(engine: Engine, site: Site, position: int) -> Container:
    """Give a mapping that is made of an argument and keywords; large ones take work that belongs to a later tier."""
    made = engine.world.container(MAPPING)
    engine.world.give(site, made)
    engine.world.later(Tier.CONTAINER, partial(engine.containers.update, site, made, position=position))
    return made


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
    """`defaultdict(factory, x, key=value)`: the same, which holds what the factory gives, too."""
    made = _filled_mapping(engine, site, 1)
    factory = argument(site, 0)
    if factory >= 0:
        call_held(engine, site, factory, result=made.rest)
    return True
