"""BM25F: term weights over fields of different worth (Robertson, Zaragoza, Taylor, CIKM 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Bools, Floats, Postings

K1 = 1.5
FIELD_LENGTH_SHARE = np.array([0.4, 0.4, 0.4, 0.5, 0.75, 0.75])
MESSAGE_LENGTH_SHARE = np.array([0.75])
"""How far each field's count is normalised by its length: b of the formula."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """
    Scores all units of one level for any weighting of the query's terms and of the fields.

    Args:
        postings: Of the query's terms, in units that are ranked.
        normal: (units, fields): 1 / (1 - b + b * length / average length).
        idf: Of each term over the ranked units: ln(1 + (N - df + 0.5) / (df + 0.5)).
    """

    postings: Postings
    normal: Floats
    idf: Floats

    @classmethod
    def of(
        cls, postings: Postings, lengths: Floats, ranked: Bools, terms: int, share: Floats = FIELD_LENGTH_SHARE
    ) -> Scorer:
        """Make a scorer of units where `ranked` is true; the others get no score and count for nothing."""
        kept = postings.only(ranked)
        number = int(ranked.sum())
        average = lengths[ranked].mean(axis=0) if number else np.ones(lengths.shape[1])
        normal = 1.0 / (1.0 - share + share * lengths / np.maximum(average, 1e-6))
        frequency = np.bincount(kept.terms, minlength=terms)
        return cls(kept, normal, np.log(1.0 + (number - frequency + 0.5) / (frequency + 0.5)))

    def among(self, wanted: Bools) -> Scorer:
        """Return a scorer that knows the same frequencies and scores fewer units."""
        return Scorer(self.postings.only(wanted), self.normal, self.idf)

    def score(self, term_weights: Floats, field_weights: Floats) -> Floats:
        """Return the score of every unit: sum of weight * idf * tf * (k1 + 1) / (k1 + tf) over the terms."""
        units, terms = self.postings.units, self.postings.terms
        fields = np.flatnonzero(field_weights)
        counts = self.postings.counts[:, fields] * self.normal[:, fields][units]
        frequency = counts @ field_weights[fields]
        gains = (term_weights * self.idf)[terms] * frequency * (K1 + 1.0) / (K1 + frequency)
        return np.bincount(units, weights=gains, minlength=len(self.normal)).astype(np.float64)

    def best_possible(self, term_weights: Floats) -> float:
        """Return the score of a unit that holds every term without end."""
        return float((term_weights * self.idf).sum() * (K1 + 1.0))
