"""Fits a package into its budget: bodies become signatures before anything is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from retriever.domain.tasks import ContextEntry

Measure: TypeAlias = Callable[[Sequence["ContextEntry"]], int]
"""Says how many tokens a package of these entries takes."""


@dataclass(frozen=True, slots=True)
class Offer:
    """
    An entry in the form that is wanted, and what it shrinks to.

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

    While it is too large, bodies shrink to their signatures, the least important first; when all have shrunk, offers
    are left out from the end. Room that is then left goes back to bodies, the most important first. The costs of
    entries only guide this; `measure` decides, since a rendering costs more or less than its parts.

    Args:
        offers: Most important first.
    """
    brief = [False] * len(offers)
    total = sum(offer.cost for offer in offers)
    for index in reversed(range(len(offers))):
        if total <= limit:
            break
        if offers[index].brief:
            brief[index] = True
            total -= offers[index].cost - offers[index].brief_cost
    kept = len(offers)
    while kept and total > limit:
        kept -= 1
        total -= _cost(offers[kept], is_brief=brief[kept])
    for index in range(kept):
        more = offers[index].cost - offers[index].brief_cost
        if brief[index] and total + more <= limit:
            brief[index] = False
            total += more
    return _exact(offers, brief, kept, limit, measure)


def _exact(offers: Sequence[Offer], brief: list[bool], kept: int, limit: int, measure: Measure) -> Assembled:
    while True:
        entries = tuple(_shown(offers[index], is_brief=brief[index]) for index in range(kept))
        tokens = measure(entries) if entries else 0
        if tokens <= limit:
            return Assembled(entries, tuple(offer.entry for offer in offers[kept:]), tokens)
        bodies = [index for index in range(kept) if offers[index].brief and not brief[index]]
        if bodies:
            brief[bodies[-1]] = True
        else:
            kept -= 1


def _cost(offer: Offer, *, is_brief: bool) -> int:
    return offer.brief_cost if is_brief else offer.cost


def _shown(offer: Offer, *, is_brief: bool) -> ContextEntry:
    return replace(offer.brief, demoted=True) if is_brief and offer.brief else offer.entry
