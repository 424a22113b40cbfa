"""Building blocks of models of external functions: their arguments, their results, and the calls that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.program import LIST
from indexer.domain.linking.solver.world import NO_ARGUMENTS
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Variable
    from indexer.domain.linking.solver.world import Site

    Model: TypeAlias = Callable[[Engine, Site], bool]


def argument(site: Site, position: int, *names: str) -> Variable:
    """Return the variable of an argument by position (-1: by name only) or name; -1 where it is missing or unknown."""
    if 0 <= position < len(site.arguments) and site.arguments[position] >= 0:
        return site.arguments[position]
    return next((variable for name, variable in site.keywords if name in names), -1)


def call_held(
    engine: Engine, site: Site, callee: Variable, arguments: tuple[Variable, ...] = NO_ARGUMENTS, result: Variable = -1
) -> None:
    """Let a site call the values of a variable, from the tier CONTAINER on."""
    inner = engine.world.site(site.scope, site.line, result, arguments)
    engine.world.later(Tier.CONTAINER, engine.world.solver.watch, callee, engine.calls.on, inner)


def element_of(engine: Engine, site: Site, source: Variable) -> Variable:
    """Return a new variable that holds the elements of the values of `source`, from iterating over them."""
    result = engine.world.solver.variable()
    inner = engine.world.site(site.scope, site.line, result)
    engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, source, engine.protocols.iterate, inner)
    return result


def give_list(engine: Engine, site: Site, element: Variable) -> None:
    """Let a call return a list whose elements are the values of a variable."""
    if site.result >= 0:
        produced = engine.world.container(LIST)
        engine.world.solver.copy(element, produced.rest)
        engine.world.give(site, produced)
