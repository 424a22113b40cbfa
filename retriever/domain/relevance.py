"""How much of what a text asks for another text carries: an absolute measure, where ranks only compare."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from common.core.terms import terms

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import TypeVar

    K = TypeVar("K", bound=Hashable)


def covered_share(asked: str, texts: Mapping[K, str]) -> dict[K, float]:
    """
    Return for each text the share of the asked terms that it holds, 0 to 1.

    A term that many of the texts hold tells little and weighs less: 1 / (1 + ln(1 + texts that hold it)).
    """
    wanted = dict.fromkeys(terms(asked))
    held = {key: wanted.keys() & set(terms(text)) for key, text in texts.items()}
    weight = {term: 1 / (1 + math.log1p(sum(term in each for each in held.values()))) for term in wanted}
    total = sum(weight.values())
    return {
        key: sum(weight[term] for term in wanted if term in each) / total if total else 0.0
        for key, each in held.items()
    }
