"""Brings scores of different queries to one scale, and finds the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Floats


def by_maximum(scores: Floats) -> Floats:
    """Divide by the highest score, so that the best is 1; if no score is positive, all become 0."""
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else np.zeros_like(scores)


def best_places(scores: Floats, number: int) -> list[int]:
    """Return the places of the highest scores above 0, best first; ties in order of place."""
    positive = np.flatnonzero(scores > 0)
    if len(positive) > number:  # most of a corpus: find the last score that counts before sorting
        least = np.partition(scores[positive], -number)[-number]
        positive = positive[scores[positive] >= least]
    best: list[int] = positive[np.argsort(-scores[positive], kind="stable")[:number]].tolist()
    return best
