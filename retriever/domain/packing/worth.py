"""
How likely a good answer cites a unit, by boosted trees, or a passage of one, by a logistic model.

Both are fitted by scripts/train_packing.py to questions with the lines that good answers cite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.packing.passages import Passage
    from retriever.domain.ranking.corpus import Floats
    from retriever.domain.reranking.trees import Trees

_TINY = 1e-9
_UNLIKELY = -8.0
"""Logarithm of the odds of a second unit where there is only one."""
_OF_PAIR = ("odds", "odds behind the best", "score", "score behind the best")


def inputs_of(passage: Passage, unit_worth: float, count: int) -> Mapping[str, float]:
    """
    Return the inputs of the logistic model for a passage, by name.

    Args:
        unit_worth: How likely a good answer cites the whole unit, 0 to 1.
        count: Passages of the unit.
    """
    return {
        "unit": math.log(max(unit_worth, _TINY)),
        "overlap": passage.overlap,
        "documentation": passage.documentation,
        "count": math.log(count),
    }


def signs_of(odds: Floats) -> Mapping[str, float]:
    """
    Return the inputs of the logistic model for the certainty that the likeliest unit is right, by name.

    Args:
        odds: Logarithms of the odds of the units whose text was read, in any order; at least one.
    """
    second, best = np.sort((*odds, _UNLIKELY))[-2:].tolist()
    chances = np.exp(odds - best)
    chances /= chances.sum()
    doubt = -float((chances * np.log(chances + _TINY)).sum())
    return {"best": best, "lead": best - second, "doubt": doubt}


def pair_inputs_of(odds: Floats, scores: Floats) -> list[Mapping[str, float]]:
    """
    Return the inputs of the logistic model for units that the cross-encoder read beside the question, by name.

    Args:
        odds: Logarithms of the odds of the units before; at least one.
        scores: What the cross-encoder says of each; only differences have a meaning.
    """
    columns = (odds, odds - odds.max(), scores, scores - scores.max())
    return [dict(zip(_OF_PAIR, row, strict=True)) for row in np.column_stack(columns).tolist()]


def odds_of(worths: Floats) -> Floats:
    """Return the logarithm of the odds of each probability, which is kept a billionth away from 0 and 1."""
    kept = np.clip(worths, _TINY, 1 - _TINY)
    return np.asarray(np.log(kept / (1 - kept)))


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model: weights by name of the input, and a bias."""

    weights: Mapping[str, float]
    bias: float

    def probability(self, inputs: Mapping[str, float]) -> float:
        """Return 1 / (1 + e^-(bias + weights · inputs))."""
        total = self.bias + math.fsum(weight * inputs[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))


@dataclass(frozen=True, slots=True)
class WorthModel:
    """
    Models of how likely a good answer cites units and their passages.

    Args:
        units: For all units, from the inputs of `standing`.
        read: For the units that `units` rates best, from the inputs of `standing`, then of `resemblance`.
        paired: For the units that `read` rates best, from the inputs of `pair_inputs_of`.
        sure: Whether the unit that `read` rates best is right, from the inputs of `signs_of`.
    """

    units: Trees
    read: Trees
    passages: Logistic
    paired: Logistic
    sure: Logistic

    def of_units(self, rows: Floats) -> Floats:
        """Return how likely a good answer cites each unit, 0 to 1, from the inputs of `standing`."""
        return _probabilities(self.units, rows)

    def of_read(self, rows: Floats) -> Floats:
        """Return how likely a good answer cites each unit, from the inputs of `standing` and `resemblance`."""
        return _probabilities(self.read, rows)

    def of_paired(self, worths: Floats, scores: Floats) -> Floats:
        """Return how likely a good answer cites each unit, from its worth before and its score by the cross-encoder."""
        return np.array([self.paired.probability(each) for each in pair_inputs_of(odds_of(worths), scores)])

    def certainty(self, worths: Floats) -> float:
        """Return the probability that a good answer cites the best of the units with these `worths`; at least one."""
        return self.sure.probability(signs_of(odds_of(worths)))

    def of_passages(self, passages: Sequence[Passage], unit_worth: float) -> tuple[float, ...]:
        """Return how likely a good answer cites each passage of a unit."""
        return tuple(self.passages.probability(inputs_of(each, unit_worth, len(passages))) for each in passages)


def _probabilities(trees: Trees, rows: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-trees.score(rows))))
