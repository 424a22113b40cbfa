"""The files that are reranked, and their input columns, computed once the functions have been reranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.second_stage import FILE_COLUMNS
from retriever.domain.reranking.functions import gained

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.ranking.corpus import Floats, Ints
    from retriever.domain.ranking.second_stage import Connections
    from retriever.domain.reranking.functions import Functions

    Columns = Mapping[str, Floats]

RERANKED_FILES = 30

_FEW, _MANY = 10, 30
"""Numbers of best functions among which those of each file are counted."""
_FAR = 99
"""Rank for a file that has no function, or none among the best 99."""


@dataclass(frozen=True, slots=True)
class RankedFiles:
    """
    Ranked files in the order of their second-stage scores, best first; ties in order of path.

    Args:
        scores: Second-stage score of every file; -inf for those that are not ranked.
        order: Places of those that are.
    """

    scores: Floats
    order: Ints

    @classmethod
    def of(cls, scores: Floats) -> RankedFiles:
        """Order by second-stage score."""
        ranked = np.flatnonzero(np.isfinite(scores))
        return cls(scores, ranked[np.argsort(-np.round(scores[ranked], 9), kind="stable")])

    @property
    def head(self) -> Ints:
        """Places of the files that are reranked."""
        return self.order[:RERANKED_FILES]

    @property
    def below_best(self) -> Floats:
        """Score of each reranked file minus the best score, at most 0."""
        return self.scores[self.head] - self.scores[self.order[:1]]

    def columns(self, around: Connections, functions: Functions, first: Floats, symbols: Floats) -> Columns:
        """
        Return columns over the files that are reranked.

        Args:
            first: First-stage score of every file.
            symbols: Score of every candidate, functions reranked.
        """
        of_best = functions.files[np.argsort(-np.round(symbols[functions.rows], 9), kind="stable")]
        rank = np.full(len(self.scores), _FAR)
        np.minimum.at(rank, of_best[:_FAR], np.arange(len(of_best[:_FAR])))
        looked = around.of_files(first, symbols)[self.head]
        return {
            **own_columns(FILE_COLUMNS, looked),
            "below best": self.below_best,
            "rank": np.log1p(np.arange(len(self.head))),
            "rank of function": np.log1p(rank[self.head]),
            "first functions": self._counted(of_best[:_FEW]),
            "functions": self._counted(of_best[:_MANY]),
        }

    def reranked(self, gains: Floats) -> Floats:
        """Return the scores of all files after the gains of the reranked files are added (`gained`)."""
        return gained(self.scores, self.order, gains)

    def _counted(self, files: Ints) -> Floats:
        return np.bincount(files, minlength=len(self.scores))[self.head].astype(np.float64)


def own_columns(names: Sequence[tuple[str, str]], rows: Floats) -> Columns:
    """Name the columns of the first stage, as (signal, column)."""
    return {f"{signal}: {name}": rows[:, at] for at, (signal, name) in enumerate(names)}
