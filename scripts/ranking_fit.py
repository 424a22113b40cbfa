"""Fits listwise linear weights: plain numpy, no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STEPS = 25


@dataclass(frozen=True)
class Graded:
    """One query's rows in the loss, their target probabilities (equal for all right rows), and the query's weight."""

    rows: NDArray[np.float32]
    target: Floats
    weight: float


def fit(lists: Sequence[Graded], ridge: float, start: Floats, begin: Floats | None = None) -> Floats:
    """
    Minimise the weighted cross entropy between softmax and target by damped Newton steps.

    Columns are scaled to the same standard deviation, so that the ridge penalty acts on all of them alike.

    Args:
        start: Weights towards which the ridge penalty pulls.
        begin: Weights at which the search begins, by default `start`; the solution of a similar problem saves steps.
    """
    loss = _Loss(lists, ridge, start)
    weights = loss.start if begin is None else begin * loss.spread
    value, gradient, curvature = loss.at(weights)
    for _ in range(_STEPS):
        step = np.linalg.solve(curvature, gradient)
        scale = 1.0
        while (found := loss.value(weights - scale * step)) > value and scale > 1e-4:
            scale /= 2
        weights = weights - scale * step
        if value - found < 1e-5 * abs(value):
            break
        value, gradient, curvature = loss.at(weights)
    found_weights: Floats = weights / loss.spread
    return found_weights


class _Loss:
    """The loss over all lists at once; lists are concatenated."""

    def __init__(self, lists: Sequence[Graded], ridge: float, start: Floats) -> None:
        rows: Floats = np.concatenate([each.rows for each in lists]).astype(np.float64)
        self.spread: Floats = rows.std(axis=0) + 1e-6
        self._rows, self.start = rows / self.spread, start * self.spread
        self._sizes = np.array([len(each.rows) for each in lists])
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)[:-1]])
        self._weights = np.array([each.weight for each in lists])
        self._weight = np.repeat(self._weights, self._sizes)
        self._target = np.concatenate([each.target for each in lists]) * self._weight
        self._ridge = ridge

    def _log_shares(self, weights: Floats) -> Floats:
        scores = self._rows @ weights
        scores = scores - np.repeat(np.maximum.reduceat(scores, self._starts), self._sizes)
        shares: Floats = scores - np.repeat(np.log(np.add.reduceat(np.exp(scores), self._starts)), self._sizes)
        return shares

    def value(self, weights: Floats) -> float:
        away = weights - self.start
        return float(self._ridge * (away @ away) - self._target @ self._log_shares(weights))

    def at(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """Return value, gradient and Hessian."""
        away = weights - self.start
        logs = self._log_shares(weights)
        share = np.exp(logs)
        weighted = share * self._weight
        means = np.add.reduceat(share[:, None] * self._rows, self._starts, axis=0)
        gradient = 2 * self._ridge * away + (weighted - self._target) @ self._rows
        curvature = 2 * self._ridge * np.eye(len(weights)) + (self._rows * weighted[:, None]).T @ self._rows
        value = float(self._ridge * (away @ away) - self._target @ logs)
        return value, gradient, curvature - (means * self._weights[:, None]).T @ means
