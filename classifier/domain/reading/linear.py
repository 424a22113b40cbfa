"""A linear model over named features: sparse weights, softmax, no dependency."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class LinearModel:
    """
    Weights of a multinomial logistic model.

    Args:
        labels: Names of the classes.
        weights: Feature to (class, weight), the classes by position in `labels`.
        temperature: Divides the scores before the softmax.
    """

    labels: tuple[str, ...]
    weights: Mapping[str, Sequence[tuple[int, float]]]
    temperature: float = 1.0

    def scores(self, features: Iterable[str]) -> list[float]:
        """Return each class's score: the sum of the known features' weights, divided by the root of their number."""
        found = [0.0] * len(self.labels)
        rows = [row for feature in features if (row := self.weights.get(feature)) is not None]
        for row in rows:
            for position, weight in row:
                found[position] += weight
        scale = len(rows) ** -0.5 if rows else 0.0
        return [score * scale for score in found]

    def chances(self, features: Iterable[str]) -> list[float]:
        """Return the probability of each class; they sum to 1."""
        scores = self.scores(features)
        highest = max(scores)
        powers = [math.exp((score - highest) / self.temperature) for score in scores]
        total = sum(powers)
        return [power / total for power in powers]
