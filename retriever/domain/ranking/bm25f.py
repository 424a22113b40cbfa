"""BM25F: scores of terms over fields of different weight (Robertson, Zaragoza, Taylor, CIKM 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.ranking.corpus import Postings

if TYPE_CHECKING:
    from retriever.domain.ranking.corpus import Bools, Floats, Ints

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
        frequencies: (postings, fields): counts, each over 1 - b + b * length / average length of the field.
        idf: Of each term over the ranked units: ln(1 + (N - df + 0.5) / (df + 0.5)).
        units: How many units there are, ranked or not.
    """

    postings: Postings
    frequencies: Floats
    idf: Floats
    units: int

    @classmethod
    def of(
        cls, postings: Postings, lengths: Floats, ranked: Bools, terms: int, share: Floats = FIELD_LENGTH_SHARE
    ) -> Scorer:
        """Return a scorer of the units where `ranked` is true; others score 0 and do not affect idf and averages."""
        kept = postings.only(ranked)
        number = int(ranked.sum())
        # Lengths are whole numbers: their sum is exact in any order.
        average = ranked @ lengths / number if number else np.ones(lengths.shape[1])
        normal = 1.0 / (1.0 - share + share * lengths[kept.units] / np.maximum(average, 1e-6))
        holding = np.bincount(kept.terms, minlength=terms)
        idf = np.log(1.0 + (number - holding + 0.5) / (holding + 0.5))
        return cls(kept, kept.counts * normal, idf, len(lengths))

    def among(self, wanted: Ints) -> Scorer:
        """Return a scorer of these units only, numbered in the order given, with the same frequencies and idf."""
        row = np.full(self.units, -1, dtype=np.int64)
        row[wanted] = np.arange(len(wanted))
        rows = row[self.postings.units]
        kept = np.flatnonzero(rows >= 0)
        postings = Postings(rows[kept], self.postings.terms[kept], self.postings.counts[kept])
        return Scorer(postings, self.frequencies[kept], self.idf, len(wanted))

    def score(self, term_weights: Floats, field_weights: Floats) -> Floats:
        """Return the score of every unit: sum of weight * idf * tf * (k1 + 1) / (k1 + tf) over the terms."""
        units, terms = self.postings.units, self.postings.terms
        fields = np.flatnonzero(field_weights)
        frequency = self.frequencies[:, fields] @ field_weights[fields]
        gains = (term_weights * self.idf)[terms] * frequency * (K1 + 1.0) / (K1 + frequency)
        return np.bincount(units, weights=gains, minlength=self.units).astype(np.float64, copy=False)

    def rarest(self, term_weights: Floats) -> Floats:
        """Return the highest idf of a term with weight that every unit holds, over that of the rarest term; 0 to 1."""
        worth = np.where(term_weights > 0, self.idf, 0.0)
        found = np.zeros(self.units)
        np.maximum.at(found, self.postings.units, worth[self.postings.terms])
        return found / max(float(self.idf.max(initial=0.0)), 1e-6)

    def best_possible(self, term_weights: Floats) -> float:
        """Return the upper bound of a score: the limit for a unit that has every term infinitely often."""
        return float((term_weights * self.idf).sum() * (K1 + 1.0))
