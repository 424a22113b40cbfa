"""Brings scores of different queries to one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Floats


def by_maximum(scores: Floats) -> Floats:
    """Divide by the highest score, so that the best is 1; scores without any positive one become 0."""
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else np.zeros_like(scores)
