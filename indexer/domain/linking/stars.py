"""Follows `from x import *`, and `export * from`, from module to module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.solver.values import Module

if TYPE_CHECKING:
    from collections.abc import Iterable

# Of a link, at modules that others take names over from. Real projects take a few hundred; in a circle of modules each
# reaches all others, which took the square of their number.
MAX_LOOKS = 2_000_000


class Stars:
    """
    Finds the modules whose names a module takes over, once for each.

    Args:
        looks: So many in all; those who ask later have their own names, and `left` is 0.
    """

    def __init__(self, looks: int = MAX_LOOKS) -> None:
        self.left = looks
        self._known: dict[Module, tuple[Module, ...]] = {}

    def of(self, module: Module) -> Iterable[Module]:
        """Give a module and those whose names it takes over, also through others, in the order of the search."""
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
