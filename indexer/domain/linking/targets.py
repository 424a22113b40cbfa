"""Targets of call sites, with the tiers that found them. Sites with equal targets share one immutable mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from indexer.domain.linking.solver.values import Function
from indexer.domain.model import Tier

Targets: TypeAlias = Mapping[Function, Tier]
NO_TARGETS: Targets = {}
# A site with more targets than this has a mapping of its own.
MAX_SHARED = 64


class _Own(dict[Function, Tier]):
    """More than `MAX_SHARED` targets, in a mutable mapping of one site."""


class SharedTargets:
    """Makes mappings by adding to smaller ones, and caches them; large ones belong to one site and grow in place."""

    def __init__(self) -> None:
        # By id() of the smaller mapping; ids stay valid, as all mappings are kept alive.
        self._grown: dict[tuple[int, Function, Tier], Targets] = {}

    def with_target(self, targets: Targets, function: Function, tier: Tier) -> Targets:
        """Return a mapping with one more function; the same mapping if it already has the function, with any tier."""
        if function in targets:
            return targets
        if len(targets) >= MAX_SHARED:
            own = targets if isinstance(targets, _Own) else _Own(targets)
            own[function] = tier
            return own
        key = (id(targets), function, tier)
        found = self._grown.get(key)
        if found is None:
            found = self._grown[key] = {**targets, function: tier}
        return found
