"""From a query's features to one order of files and one of symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.model import signals_of

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Bools, Floats, Ints
    from retriever.domain.ranking.features import Features
    from retriever.domain.ranking.model import Weights


@dataclass(frozen=True, slots=True)
class Placed:
    """A place of the corpus; `score` is its odds against the best one, which has 1; with what spoke for it."""

    place: int
    score: float
    signals: tuple[str, ...]


def rank_files(features: Features, weights: Weights, ranked: Bools, limit: int) -> tuple[Placed, ...]:
    """Order ranked files by weighted sum; ties break by path."""
    places = np.flatnonzero(ranked)
    return _order(features.files[places], places, weights.over(features.file_columns), features.file_columns, limit)


def rank_symbols(features: Features, weights: Weights, limit: int) -> tuple[Placed, ...]:
    """Order the candidates by weighted sum; ties break by path, then line."""
    by_place = np.argsort(features.places)
    places, rows = features.places[by_place], features.symbols[by_place]
    return _order(rows, places, weights.over(features.symbol_columns), features.symbol_columns, limit)


def _order(
    rows: Floats, places: Ints, weights: Floats, columns: tuple[tuple[str, str], ...], limit: int
) -> tuple[Placed, ...]:
    if not len(places):
        return ()
    # Sums may differ in the last digits by the order of addition: rounding keeps ties ties.
    scores = np.round(rows @ weights, 9)
    average = rows.mean(axis=0)
    best = np.argsort(-scores, kind="stable")[:limit]
    odds = np.exp(scores[best] - scores[best[:1]])
    spoke = signals_of(columns, weights, rows[best], average)
    return tuple(map(Placed, places[best].tolist(), odds.tolist(), spoke))
