"""Turns the features of a query into an order of files and an order of symbols."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.model import signals_of
from retriever.domain.ranking.second_stage import FILE_COLUMNS, SYMBOL_COLUMNS

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Bools, Floats, Ints, SymbolColumns
    from retriever.domain.ranking.features import Features
    from retriever.domain.ranking.model import Fusion


@dataclass(frozen=True, slots=True)
class Placed:
    """
    A ranked place of the corpus.

    Args:
        score: exp(its score - the best score), so that the best one has 1.
        others: Further places of the same definition, best first.
    """

    place: int
    score: float
    signals: tuple[str, ...]
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """
    Scores of one query.

    Args:
        files: Of every file; -inf for those that are not ranked.
        symbols: Of every candidate.
    """

    files: Floats
    symbols: Floats


def first_scores(features: Features, fusion: Fusion, ranked: Bools) -> Scores:
    """Sum up the weighted columns."""
    files = features.files @ fusion.files.over(features.file_columns)
    return Scores(np.where(ranked, files, -np.inf), features.symbols @ fusion.symbols.over(features.symbol_columns))


def second_scores(features: Features, fusion: Fusion, first: Scores) -> Scores:
    """Sum up the weighted columns of the second stage."""
    files = features.around.of_files(first.files, first.symbols) @ fusion.files_again.over(FILE_COLUMNS)
    symbols = features.around.of_symbols(first.files, first.symbols) @ fusion.symbols_again.over(SYMBOL_COLUMNS)
    return Scores(np.where(np.isfinite(first.files), files, -np.inf), symbols)


def rank_files(features: Features, fusion: Fusion, scores: Scores, limit: int) -> tuple[Placed, ...]:
    """Order ranked files by score; ties break by path."""
    places = np.flatnonzero(np.isfinite(scores.files))
    weights = fusion.files.over(features.file_columns)
    return _order(features.files[places], places, scores.files[places], weights, features.file_columns, limit)


def rank_symbols(
    features: Features, fusion: Fusion, scores: Scores, limit: int, symbols: SymbolColumns
) -> tuple[Placed, ...]:
    """Order the candidates by score, a definition at the rank of its best symbol; ties break by path, then line."""
    by_place = np.argsort(features.places)
    weights = fusion.symbols.over(features.symbol_columns)
    ordered = _order(
        features.symbols[by_place], features.places[by_place], scores.symbols[by_place], weights,
        features.symbol_columns, len(by_place),
    )  # fmt: skip
    placed = {each.place: each for each in ordered}
    return tuple(replace(placed[best], others=tuple(others)) for best, *others in symbols.by_definition(placed)[:limit])


def _order(
    rows: Floats, places: Ints, scores: Floats, weights: Floats, columns: tuple[tuple[str, str], ...], limit: int
) -> tuple[Placed, ...]:
    if not len(places):
        return ()
    # Sums may differ in the last digits by the order of addition: rounding keeps ties ties.
    scores = np.round(scores, 9)
    average = rows.mean(axis=0)
    best = np.argsort(-scores, kind="stable")[:limit]
    odds = np.exp(scores[best] - scores[best[:1]])
    spoke = signals_of(columns, weights, rows[best], average)
    return tuple(map(Placed, places[best].tolist(), odds.tolist(), spoke))
