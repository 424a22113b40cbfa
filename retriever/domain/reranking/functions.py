"""The functions that are reranked, and their columns: rank among all, in the file, and in relation to the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.values import SymbolMark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.ranking.corpus import Corpus, Floats, Ints
    from retriever.domain.ranking.features import Features
    from retriever.domain.ranking.rank import Scores

    Columns = Mapping[str, Floats]

RERANKED_FUNCTIONS = 60

IN_REPORTS = 1.5
"""Factor of the trees' gains in a report: boosting with a small rate stops short of the full gain (ADR 13)."""

_LEAST = -8.0
"""Lowest difference from the best score; lower scores count as this."""
_LITTLE = 1e-3
"""Keeps logarithms of sums that are 0 finite."""
_FAR = 99
"""Highest rank of a file, also for files that are not ranked."""


@dataclass(frozen=True, slots=True)
class Functions:
    """
    The functions and methods among the candidates of one query, in order of place.

    Args:
        candidates: Places of all candidates, classes too.
        rows: Which of these are functions.
        places: Of the functions.
        names: A number for each name.
        files: Place of the file of each.
        parents: Place of what encloses each; -1 without it.
        constructs: 1.0 for constructors.
    """

    candidates: Ints
    rows: Ints
    places: Ints
    names: Ints
    files: Ints
    parents: Ints
    constructs: Floats

    @classmethod
    def of(cls, features: Features, corpus: Corpus) -> Functions:
        """Select the functions and methods among the candidates."""
        rows = np.flatnonzero(features.around.speaks)
        rows = rows[np.argsort(features.places[rows])]
        places, symbols = features.places[rows], corpus.symbols
        names = [symbols.names[place] for place in places.tolist()]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return cls(
            features.places, rows, places, np.array([numbers[name] for name in names], dtype=np.int64),
            symbols.file[places],
            symbols.parent[places], ((symbols.marks[places] & SymbolMark.CONSTRUCTOR) > 0).astype(np.float64),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankedFunctions:
    """
    Functions in the order of their second-stage scores, best first; ties in order of place.

    Args:
        order: Position of each in `functions`.
        below_best: Score of each minus the best score, at most 0, in that order.
    """

    functions: Functions
    first: Scores
    second: Scores
    order: Ints
    below_best: Floats

    @classmethod
    def of(cls, functions: Functions, first: Scores, second: Scores) -> RankedFunctions:
        """Order by second-stage score."""
        scores = np.round(second.symbols[functions.rows], 9)
        order = np.argsort(-scores, kind="stable")
        return cls(functions, first, second, order, scores[order] - scores.max(initial=-np.inf))

    @property
    def head(self) -> Ints:
        """Positions of the functions that are reranked."""
        return self.order[:RERANKED_FUNCTIONS]

    def columns(self) -> Columns:
        """Return columns over the functions that are reranked."""
        every, order = self.functions, self.order
        odds = np.exp(self.below_best)
        names, files, constructs = every.names[order], every.files[order], every.constructs[order]
        of_class = self._of_class(every.parents[order])
        file_scores, file_ranks = self._of_files(files)
        columns = {
            "rank": np.log1p(np.arange(len(order))),
            "odds": odds,
            "odds of namesakes": np.log(_sum_of_others(names, odds) + _LITTLE),
            "odds of rest of file": np.log(_sum_of_others(files, odds) + _LITTLE),
            "rank in file": np.log1p(_rank_within(files)),
            "class": of_class,
            "constructs": constructs,
            "constructs class": constructs * np.exp(of_class),
            "odds beside": self._beside(odds),
            "file": file_scores,
            "rank of file": file_ranks,
        }
        return {name: values[:RERANKED_FUNCTIONS] for name, values in columns.items()}

    def reranked(self, gains: Floats, *, is_report: bool) -> Floats:
        """Return the scores of all candidates after the gains of the reranked functions are added (`gained`)."""
        worth = IN_REPORTS if is_report else 1.0
        return gained(self.second.symbols, self.functions.rows[self.order], worth * gains)

    def _of_class(self, parents: Ints) -> Floats:
        """Return the first-stage score of the class around each minus the best score; `_LEAST` without a class."""
        scores = self.first.symbols - self.first.symbols.max(initial=-np.inf)
        return np.maximum(_looked_up(self.functions.candidates, scores, parents, _LEAST), _LEAST)

    def _of_files(self, files: Ints) -> tuple[Floats, Floats]:
        """Return the score of each one's file minus that of the best file, and ln(1 + rank) of the file."""
        scores = self.second.files
        ranked = np.flatnonzero(np.isfinite(scores))
        order = ranked[np.argsort(-np.round(scores[ranked], 9), kind="stable")]
        rank = np.full(len(scores), _FAR)
        rank[order] = np.minimum(np.arange(len(order)), _FAR)
        best = scores[order[0]] if len(order) else 0.0
        return np.maximum(scores[files] - best, _LEAST), np.log1p(rank[files])

    def _beside(self, odds: Floats) -> Floats:
        """Return the higher odds of what is defined right before and after each."""
        places = self.functions.places[self.order]
        return np.maximum(*(_looked_up(places, odds, places + step, 0.0) for step in (-1, 1)))


def gained(scores: Floats, order: Ints, gains: Floats) -> Floats:
    """
    Return the scores after gains are added to the first places of an order.

    They are then shifted so that their best is as high as before; all later places are kept below the last of them.
    """
    scores = scores.copy()
    if not len(gains):
        return scores
    near, far = order[: len(gains)], order[len(gains) :]
    new = scores[near] + gains
    new += scores[near].max() - new.max()
    scores[near] = new
    if len(far):
        scores[far] -= max(0.0, float(scores[far].max() - new.min())) + _LITTLE
    return scores


def _looked_up(places: Ints, values: Floats, wanted: Ints, otherwise: float) -> Floats:
    """Return the value at each wanted place; `places` are in any order."""
    order = np.argsort(places)
    at = order[np.minimum(np.searchsorted(places, wanted, sorter=order), len(places) - 1)]
    return np.where(places[at] == wanted, values[at], otherwise)


def _sum_of_others(groups: Ints, odds: Floats) -> Floats:
    """Return the sum of the odds of the others in each one's group."""
    return np.maximum(np.bincount(groups, weights=odds)[groups] - odds, 0.0)


def _rank_within(groups: Ints) -> Ints:
    """Return how many of each one's group come before it."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - starts[groups[order]]
    return ranks
