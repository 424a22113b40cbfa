"""Lists the calls of a link by names as in call graph benchmarks: `module.Class.method`, `module.<lambda1>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.program import IS_ARROW
from indexer.domain.linking.solver.values import Class, Definition, Function, qualified_name, without_arity
from indexer.domain.linking.tiers import CONFIDENCE, kept_foreign, kept_targets

if TYPE_CHECKING:
    from indexer.domain.linking.solver.world import World


def named_calls(world: World) -> dict[tuple[str, str], float]:
    """
    Return the confidence of each call by (caller, callee), in order of discovery.

    Calls in a class body count as calls of the enclosing scope. External callees have their dotted names.
    """
    found: dict[tuple[str, str], float] = {}
    folded = _folded(world)
    for site in world.sites:
        caller = qualified_name(_body(site.scope, folded))
        for function, tier in kept_targets(site).items():
            if function in folded:
                continue
            key = (caller, qualified_name(function))
            found[key] = max(found.get(key, 0.0), CONFIDENCE[tier])
        for name in kept_foreign(site):
            found.setdefault((caller, without_arity(name)), 1.0)
    return found


def defined_names(world: World) -> list[str]:
    """Return the names of everything defined in the project."""
    modules: list[Definition] = [module for module in world.units if module is not None]
    return [qualified_name(item) for item in (*modules, *world.classes, *world.functions)]


def arrow_names(world: World) -> dict[str, str]:
    """Return the alternative name of each named arrow function, with its number in its scope: `main.<arrow1>`."""
    found: dict[str, str] = {}
    counts: dict[Definition, int] = {}
    for function in world.functions:
        if function.flags & IS_ARROW and function.owner is not None:
            counts[function.owner] = number = counts.get(function.owner, 0) + 1
            if not function.name.startswith("<"):
                found[qualified_name(function)] = f"{qualified_name(function.owner)}.<arrow{number}>"
    return found


def _folded(world: World) -> set[Function]:
    """Find anonymous functions that are only called by library functions, from the scope that encloses them."""
    called: dict[Function, bool] = {}
    for site in world.sites:
        for function in site.targets:
            if function.name.startswith(("<arrow", "<anonymous")):
                inside = site.callee < 0 and site.scope is function.owner
                called[function] = called.get(function, True) and inside
    return {function for function, inside in called.items() if inside}


def _body(scope: Definition, folded: set[Function]) -> Definition:
    while scope.owner is not None and (isinstance(scope, Class) or scope in folded):
        scope = scope.owner
    return scope
