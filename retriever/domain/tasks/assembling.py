"""Fits a package into its budget: the most important bodies stay, others become signatures before they are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from retriever.domain.tasks.task import ContextEntry

Measure: TypeAlias = Callable[[Sequence["ContextEntry"]], int]
"""Counts the tokens of a package with these entries."""

_BODIES = Fraction(2, 3)
"""Share of a scarce budget that the most important bodies may take: signatures do not replace the code itself."""


@dataclass(frozen=True, slots=True)
class Offer:
    """
    An entry in its wanted form, and in the short form that it may shrink to.

    Args:
        cost: Tokens in the wanted form, with all that a rendering puts around it.
        brief: Its signature alone; None if there is nothing shorter.
    """

    entry: ContextEntry
    cost: int
    brief: ContextEntry | None = None
    brief_cost: int = 0


@dataclass(frozen=True, slots=True)
class Assembled:
    """Entries in the order offered, what was left out, and the tokens that the entries take."""

    entries: tuple[ContextEntry, ...]
    left_out: tuple[ContextEntry, ...]
    tokens: int


def assemble(offers: Sequence[Offer], limit: int, measure: Measure) -> Assembled:
    """
    Choose the form of each offer so that the package takes at most `limit` tokens.

    If not everything fits, bodies shrink to their signatures. Only the most important bodies, up to half of the cost of
    all bodies and two thirds of the limit, are kept at first. If that is still too much, the last offers are left out;
    one that can shrink is left out only after all bodies have shrunk. Tokens that remain go back to bodies, the most
    important first. The costs of entries are estimates: `measure` decides, since a rendering costs more or less than
    the sum of its parts.

    Args:
        offers: Most important first.
    """
    package = _Package(offers)
    if package.cost > limit:
        package.shrink(limit)
        while package.cost > limit:
            package.take_less()
        package.grow(limit)
    while True:
        entries = package.entries
        tokens = measure(entries) if entries else 0
        if tokens <= limit:
            break
        package.take_less()
    # Entries may cost less together than alone.
    while package.take_more():
        more = measure(package.entries)
        if more > limit:
            package.take_back()
            break
        entries, tokens = package.entries, more
    return Assembled(entries, package.left_out, tokens)


class _Package:
    """The first `kept` offers, each in its wanted or its brief form."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._offers = offers
        self._kept = len(offers)
        self._brief = [False] * len(offers)

    @property
    def cost(self) -> int:
        return sum(self._cost(index) for index in range(self._kept))

    @property
    def entries(self) -> tuple[ContextEntry, ...]:
        return tuple(self._shown(index) for index in range(self._kept))

    @property
    def left_out(self) -> tuple[ContextEntry, ...]:
        return tuple(offer.entry for offer in self._offers[self._kept :])

    def shrink(self, limit: int) -> None:
        """Shrink all bodies but the most important ones; `grow` restores as many as fit."""
        staying = self._staying(int(limit * _BODIES))
        for index in range(self._kept):
            self._brief[index] = self._is_body(index) and index not in staying

    def take_less(self) -> None:
        """Leave out the last offer, or shrink the last body where the last offer has a signature to keep."""
        last = self._kept - 1
        bodies = [index for index in range(self._kept) if self._is_body(index)]
        if self._offers[last].brief and bodies:
            self._brief[bodies[-1]] = True
        else:
            self._kept = last

    def take_more(self) -> bool:
        """Add the first offer that was left out, in the form that it had; False if none was left out."""
        if self._kept == len(self._offers):
            return False
        self._kept += 1
        return True

    def take_back(self) -> None:
        """Leave out the last offer."""
        self._kept -= 1

    def grow(self, limit: int) -> None:
        """Spend the remaining tokens on bodies, the most important first."""
        room = limit - self.cost
        for index in range(self._kept):
            more = self._offers[index].cost - self._cost(index)
            if more <= room:
                self._brief[index] = False
                room -= more

    def _staying(self, room: int) -> set[int]:
        """Return the most important bodies, up to half of the cost of all bodies, that fit into `room` tokens."""
        costs = {index: offer.cost for index, offer in enumerate(self._offers) if offer.brief}
        half = sum(costs.values()) / 2
        staying: set[int] = set()
        spent = 0
        for index, cost in costs.items():
            if spent < half and spent + cost <= room:
                staying.add(index)
                spent += cost
        return staying

    def _is_body(self, index: int) -> bool:
        return self._offers[index].brief is not None and not self._brief[index]

    def _cost(self, index: int) -> int:
        offer = self._offers[index]
        return offer.brief_cost if self._brief[index] else offer.cost

    def _shown(self, index: int) -> ContextEntry:
        offer = self._offers[index]
        return replace(offer.brief, demoted=True) if self._brief[index] and offer.brief else offer.entry
