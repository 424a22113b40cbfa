"""Which candidate a description means, and how sure that is: weights learned by scripts/train_describing.py."""

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

_TOP = 3
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Weighting:
    """
    A linear, listwise model of the right candidate, and a logistic one of its being right.

    Args:
        columns: Weight of each column of a candidate; one without a weight counts for nothing.
        signs: Weight of each sign (`signs_of`) that the best candidates are right.
        bias: Added to the weighted signs.
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
    Weightings with and without vectors, and the certainty below which nothing is taken for what was meant.

    Args:
        wording: What is known of the words of descriptions.
        floor: By measurement on descriptions of what is there and of what is not (docs/evaluation.md).
    """

    words: Weighting
    vectors: Weighting
    floor: float
    wording: Wording


def signs_of(columns: Columns, scores: Floats, best: Ints, terms: int) -> Mapping[str, float]:
    """
    Return what tells a right answer from the best of many wrong ones.

    Args:
        best: Rows of the candidates in order of score, the best first; at least one.
        terms: How many terms the description has.
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
        "terms": math.log1p(terms),
        "candidates": math.log1p(len(best)),
    }
