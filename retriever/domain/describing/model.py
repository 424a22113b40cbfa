"""Scores the candidates for a description, and how certain the best are; scripts/train_describing.py fits weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.describing.wording import Wording
    from retriever.domain.ranking.corpus import Floats, Ints

    Columns = Mapping[str, Floats]

BY_WORDS = "by words"
"""Name of the column that holds the network's scores."""

_TOP = 3
_TINY = 1e-9
_FARTHEST, _FARTHEST_AMONG = 5.0, 4.0
"""Spreads from the average at which inputs are clipped: over the training data, and over one description."""
_LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True)
class Scale:
    """Average and spread of each column over the candidates in the training data."""

    names: tuple[str, ...]
    average: Floats
    spread: Floats

    def inputs(self, columns: Columns) -> Floats:
        """Return all columns standardised by the training data, then all standardised among these candidates."""
        table = np.stack([columns[name] for name in self.names], axis=1) / self.spread
        among = (table - table.mean(axis=0)) / (table.std(axis=0) + _LEAST_SPREAD)
        alone = np.clip(table - self.average / self.spread, -_FARTHEST, _FARTHEST)
        return np.concatenate((alone, np.clip(among, -_FARTHEST_AMONG, _FARTHEST_AMONG)), axis=1)


@dataclass(frozen=True, slots=True)
class Network:
    """
    Scores candidates: the sum of a linear part and one hidden layer of rectified units.

    Args:
        hidden: Weights of the hidden layer: (inputs, units).
        bias: Bias of each hidden unit.
        units: Weight of each hidden unit in the score.
        direct: Weight of each input in the linear part.
    """

    scale: Scale
    hidden: Floats
    bias: Floats
    units: Floats
    direct: Floats

    def scores(self, columns: Columns) -> Floats:
        """Return the score of each candidate; the exponentials of scores compare as probabilities."""
        inputs = self.scale.inputs(columns)
        active = np.maximum(inputs @ self.hidden + self.bias, 0.0)
        return np.asarray(inputs @ self.direct + active @ self.units, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Weighting:
    """
    A linear model that scores candidates, and a logistic model of whether the right one is among the best three.

    Args:
        columns: Weight of each column in the score, the network's score among them; other columns are not used.
        signs: Weight of each feature of `signs_of` in the logistic model.
        bias: Bias of the logistic model.
    """

    columns: Mapping[str, float]
    signs: Mapping[str, float]
    bias: float

    def scores(self, columns: Columns) -> Floats:
        """Return the score of each candidate; the exponentials of scores compare as probabilities."""
        return np.asarray(sum(weight * columns[name] for name, weight in self.columns.items()), dtype=np.float64)

    def certainty(self, signs: Mapping[str, float]) -> float:
        """Return the probability that the right symbol is among the best three."""
        return 1.0 / (1.0 + math.exp(-self.bias - sum(weight * signs[name] for name, weight in self.signs.items())))


@dataclass(frozen=True, slots=True)
class DescribingModel:
    """
    Weightings with and without vectors, and the least certainty at which a symbol is accepted as the one described.

    Args:
        network: Scores candidates by words, for both weightings.
        wording: Statistics about the words of descriptions.
        floor: The least certainty, measured on descriptions of existing and of missing code (docs/evaluation.md).
    """

    network: Network
    words: Weighting
    vectors: Weighting
    floor: float
    wording: Wording


def signs_of(columns: Columns, scores: Floats, best: Ints, asked: Mapping[str, float]) -> Mapping[str, float]:
    """
    Return the features that distinguish a right best candidate from the best of many wrong ones.

    Args:
        best: Rows of the candidates in order of score, the best first; at least one.
        asked: Signs of the description itself (`Searched.signs`).
    """
    chances = np.exp(scores - scores[best[0]])
    chances /= chances.sum()
    first, top = best[0], best[:_TOP]
    highest = {
        f"{name} of top": float(columns[name][top].max())
        for name in (
            "said",
            "said here or near",
            "said in doc",
            "name told",
            "score",
            "terms said",
            "echoed",
            "name spelled",
        )
    }
    return {
        **highest,
        "most said": float(columns["said"].max()),
        "most echoed": float(columns["echoed"].max()),
        "highest score": float(columns["score"].max()),
        "said in file": float(columns["said in file"][first]),
        "chance of top": float(chances[top].sum()),
        "doubt": float(-(chances * np.log(chances + _TINY)).sum()),
        "lead": float(scores[first] - scores[best[min(_TOP, len(best) - 1)]]),
        "candidates": math.log1p(len(best)),
        **asked,
    }
