"""Writes a link's calls by name, as call graph benchmarks do: `module.Class.method`, `module.<lambda1>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.tiers import CONFIDENCE, kept_targets
from indexer.domain.linking.values import Class, Definition, qualified_name

if TYPE_CHECKING:
    from indexer.domain.linking.world import World


def named_calls(world: World) -> dict[tuple[str, str], float]:
    """
    Give (caller, callee) with the confidence of the edge, in order of discovery.

    A class body belongs to the scope around it. Foreign callees are named by their dotted names.
    """
    found: dict[tuple[str, str], float] = {}
    for site in world.sites:
        caller = qualified_name(_body(site.scope))
        for function, tier in kept_targets(site).items():
            key = (caller, qualified_name(function))
            found[key] = max(found.get(key, 0.0), CONFIDENCE[tier])
        for name in site.foreign:
            found.setdefault((caller, name), 1.0)
    return found


def defined_names(world: World) -> list[str]:
    """Give the names of everything defined in the project."""
    modules: list[Definition] = [module for module in world.units if module is not None]
    return [qualified_name(item) for item in (*modules, *world.classes, *world.functions)]


def _body(scope: Definition) -> Definition:
    while isinstance(scope, Class) and scope.owner is not None:
        scope = scope.owner
    return scope
