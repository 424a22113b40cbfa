"""Edges of the graph around the symbols that matter to a query, as columns of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from retriever.domain.ranking.corpus import Bools, Corpus, Floats, Ints


@dataclass(frozen=True, slots=True)
class Links:
    """
    Resolved edges between ranked symbols, or between rows of another kind.

    Args:
        sources: Place where each starts.
        targets: Place where it leads.
        weights: Confidence of the surest edge between the two, 0 to 1.
    """

    sources: Ints
    targets: Ints
    weights: Floats

    @classmethod
    def of(cls, pairs: ArrayLike, corpus: Corpus, ranked: Bools) -> Links:
        """Keep (source id, target id, confidence) whose ends are two different ranked symbols."""
        table = np.array(pairs, dtype=np.float64).reshape(-1, 3)
        sources = corpus.symbols.places(table[:, 0].astype(np.int64))
        targets = corpus.symbols.places(table[:, 1].astype(np.int64))
        known = (sources >= 0) & (targets >= 0) & (sources != targets)
        kept = np.flatnonzero(known)[ranked[sources[known]] & ranked[targets[known]]]
        return cls(sources[kept], targets[kept], table[kept, 2])

    def between(self, rows: Ints) -> Links:
        """Return the edges between different rows, given the row of each place; -1 leaves a place out."""
        sources, targets = rows[self.sources], rows[self.targets]
        kept = (sources >= 0) & (targets >= 0) & (sources != targets)
        return Links(sources[kept], targets[kept], self.weights[kept])

    def to_targets(self, scores: Floats) -> Floats:
        """Return for each symbol the highest score, times weight, among those that refer to it."""
        spread = np.zeros_like(scores)
        np.maximum.at(spread, self.targets, scores[self.sources] * self.weights)
        return spread

    def to_sources(self, scores: Floats) -> Floats:
        """Return for each symbol the highest score, times weight, among those that it refers to."""
        spread = np.zeros_like(scores)
        np.maximum.at(spread, self.sources, scores[self.targets] * self.weights)
        return spread
