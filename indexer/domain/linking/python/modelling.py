"""What models of foreign functions are made of: their arguments, and the calls that they make in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.values import Variable
    from indexer.domain.linking.world import Site

    Model: TypeAlias = Callable[[Engine, Site], bool]


def argument(site: Site, position: int, *names: str) -> Variable:
    """Give the variable of an argument by position (-1 for none) or name; -1 where it is missing or unknown."""
    if 0 <= position < len(site.arguments) and site.arguments[position] >= 0:
        return site.arguments[position]
    return next((variable for name, variable in site.keywords if name in names), -1)


def call_back(
    engine: Engine, site: Site, callee: Variable, arguments: tuple[Variable, ...], result: Variable = -1
) -> None:
    """Call what a variable holds, at the site."""
    inner = engine.world.site(site.scope, site.line, result, arguments)
    engine.world.later(Tier.CONTAINER, engine.world.solver.watch, callee, engine.calls.on, inner)


def called_back(position: int, *names: str) -> Model:
    """A function that calls its argument with the arguments behind it (`submit(f, x)`), or those of `args=`."""

    def model(engine: Engine, site: Site) -> bool:
        callee = argument(site, position, *names)
        if callee < 0:
            return False
        arguments = site.arguments[position + 1 :] if position < len(site.arguments) else ()
        given = next((variable for name, variable in site.keywords if name == "args"), -1)
        if given >= 0:
            arguments = (-2 - given,)
        call_back(engine, site, callee, arguments)
        return False

    return model


def element_of(engine: Engine, site: Site, source: Variable) -> Variable:
    """Give a variable that holds the elements of what is iterated over."""
    result = engine.world.solver.variable()
    inner = engine.world.site(site.scope, site.line, result)
    engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, source, engine.protocols.iterate, inner)
    return result
