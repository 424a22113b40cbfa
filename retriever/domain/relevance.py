"""How much of what a text asks for another text carries: an absolute measure, where ranks only compare."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from common.core.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping


def rarity(holding: int, units: int) -> float:
    """Return the idf of a term that so many of all units hold (Robertson and Zaragoza 2009, with 1 added)."""
    return math.log(1 + (units - holding + 0.5) / (holding + 0.5))


def covered_share(weights: Mapping[str, float], text: str) -> float:
    """
    Return the share of the weight of the asked terms that a text holds, 0 to 1.

    Terms that no unit of the index holds weigh most: a text about something else is full of them.
    """
    held = set(terms(text))
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0
