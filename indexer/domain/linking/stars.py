"""Follows `from x import *`, and `export * from`, from module to module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.solver.values import Module

if TYPE_CHECKING:
    from collections.abc import Iterable

# Greatest number of visits of modules in the searches of one link. Real projects take a few hundred; in a cycle of
# modules each reaches all others, which takes the square of their number.
MAX_LOOKS = 2_000_000


class Stars:
    """
    Finds the modules from which a module imports all names, directly or through others; caches results.

    Args:
        looks: Greatest number of visited modules in all searches. Once it is used up, `left` is 0, and further modules
            have their own names only.
    """

    def __init__(self, looks: int = MAX_LOOKS) -> None:
        self.left = looks
        self._known: dict[Module, tuple[Module, ...]] = {}

    def of(self, module: Module) -> Iterable[Module]:
        """Return a module and those from which it imports all names, also through others, in order of the search."""
        known = self._known.get(module)
        if known is None:
            found = {module: None}
            waiting = _above(module)
            while waiting and self.left:
                self.left -= 1
                above = waiting.pop()
                if above not in found:
                    found[above] = None
                    waiting += _above(above)
            known = self._known[module] = tuple(found)
        return known


def _above(module: Module) -> list[Module]:
    return [star for star in reversed(module.stars) if isinstance(star, Module)]
