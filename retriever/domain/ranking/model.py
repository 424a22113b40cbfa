"""The learned fusion: one weight for each column, trained to put the right places first (scripts/train_ranker.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.ranking.corpus import Floats

    Column = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Weights:
    """Weight of each column, by (signal, column); a column without one counts for nothing."""

    by_column: Mapping[Column, float]

    def over(self, columns: Sequence[Column]) -> Floats:
        """Return the weights in the order of columns."""
        return np.array([self.by_column.get(column, 0.0) for column in columns])


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights of the columns of both levels, and of those of the second stage."""

    files: Weights
    symbols: Weights
    files_again: Weights
    symbols_again: Weights


@dataclass(frozen=True, slots=True)
class RankingModel:
    """Weights for questions and for reports."""

    question: Fusion
    report: Fusion

    def fusion(self, *, is_report: bool) -> Fusion:
        """Return the weights for this sort of query."""
        return self.report if is_report else self.question


def signals_of(
    columns: Sequence[Column], weights: Floats, rows: Floats, average: Floats
) -> tuple[tuple[str, ...], ...]:
    """
    Return for each row up to three signals whose columns in sum raise it above the average row, the strongest first.

    Args:
        rows: (rows, columns).
    """
    parts = (weights * (rows - average)).T
    names = [signal.removeprefix("file ") for signal, _ in columns]
    place = {name: position for position, name in enumerate(dict.fromkeys(names))}
    gains = np.zeros((len(place), len(rows)))
    for name, part in zip(names, parts, strict=True):
        gains[place[name]] += part
    signals = list(place)
    strongest = np.argsort(-gains, axis=0, kind="stable")[:3].T
    return tuple(
        tuple(signals[each] for each in best if own[each] > 0)
        for best, own in zip(strongest.tolist(), gains.T.tolist(), strict=True)
    )
