"""What sites call, with the tier that found it. Many sites call the same, so they share mappings that never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from indexer.domain.linking.solver.values import Function
from indexer.domain.model import Tier

Targets: TypeAlias = Mapping[Function, Tier]
NO_TARGETS: Targets = {}
# A site with more targets than this shares them with no other.
MAX_SHARED = 64


class _Own(dict[Function, Tier]):
    """Very many targets of one site."""


class SharedTargets:
    """Makes mappings out of smaller ones, and remembers what it made; large ones belong to their site and grow."""

    def __init__(self) -> None:
        # By the identity of the smaller mapping, which stays what it is as all of them are kept.
        self._grown: dict[tuple[int, Function, Tier], Targets] = {}

    def with_target(self, targets: Targets, function: Function, tier: Tier) -> Targets:
        """Return a mapping with one more function; the same mapping if it contains it, with any tier."""
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
