"""Confidence of each tier, and removal of the unsure targets of sites that have too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.calls import MAX_TARGETS, hooks
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.domain.linking.solver.world import Site
    from indexer.domain.linking.targets import Targets

# Share of right edges among those that each tier adds, on executed calls (docs/evaluation.md).
CONFIDENCE = {
    Tier.STATIC: 0.95,
    Tier.PROTOCOL: 0.9,
    Tier.CONTAINER: 0.8,
    Tier.UNIQUE_NAME: 0.7,
    Tier.ARGUMENT: 0.6,
    Tier.OVERRIDE: 0.5,
    Tier.PRECISE: 1.0,
}


def kept_targets(site: Site) -> Targets:
    """
    Return a site's targets without the tiers with which methods exceed `MAX_TARGETS`; the tier STATIC is always kept.

    Plain functions are not counted and always kept: a callback is passed as it is, while a method is as unsure as its
    receiver.
    """
    targets = site.targets
    if len(targets) <= MAX_TARGETS or site.wide:
        return targets
    kept = {Tier.STATIC}
    for tier in sorted(set(targets.values())):
        if hooks(function for function, found in targets.items() if found <= tier) > MAX_TARGETS:
            break
        kept.add(tier)
    return {function: tier for function, tier in targets.items() if tier in kept or function.holder is None}


def kept_foreign(site: Site) -> Mapping[str, Tier]:
    """
    Return the external targets of a site; those of the tier ARGUMENT and later only if there is no surer target.

    A parameter that may hold many values gives each attribute read of it one target for each of them.
    """
    if all(tier < Tier.ARGUMENT for tier in site.foreign.values()) or all(
        tier >= Tier.ARGUMENT for found in (site.foreign, site.targets, site.constructed) for tier in found.values()
    ):
        return site.foreign
    return {name: tier for name, tier in site.foreign.items() if tier < Tier.ARGUMENT}
