"""Fits logistic models by Newton's method with a ridge penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.packing.worth import Logistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WEIGHT_OF_SHARE = 8.0
"""The weight of a right row is 1 + 8 times its share of the cited lines; that of others is 1."""
_RIDGE = 1.0
_STEPS = 30


def fit(inputs: Sequence[Mapping[str, float]], shares: Sequence[float], *, weight: float = WEIGHT_OF_SHARE) -> Logistic:
    """Fit a logistic model; a row is right if its share is above 0, and then counts 1 + weight * share times."""
    names = list(inputs[0])
    rows = np.array([[row[name] for name in names] for row in inputs])
    average, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    columns = np.column_stack(((rows - average) / spread, np.ones(len(rows))))
    share = np.array(shares)
    right = (share > 0).astype(float)
    counts = np.where(share > 0, 1 + weight * share, 1.0)
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-columns @ weights))
        curvature = (columns * (counts * told * (1 - told) + 1e-9)[:, None]).T @ columns
        slope = columns.T @ (counts * (right - told)) - _RIDGE * weights
        weights += np.linalg.solve(curvature + _RIDGE * np.eye(len(weights)), slope)
    scaled = weights[:-1] / spread
    return Logistic(dict(zip(names, scaled.tolist(), strict=True)), float(weights[-1] - scaled @ average))


def plain(model: Logistic) -> dict[str, Any]:
    """Return a model as JSON has it."""
    return {"weights": {name: round(each, 5) for name, each in model.weights.items()}, "bias": round(model.bias, 5)}
