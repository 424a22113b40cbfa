"""Edges of the graph around the symbols that matter to a query, as columns of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.ranking.corpus import Bools, Corpus, Floats, Ints
    from retriever.domain.values import Edge


@dataclass(frozen=True, slots=True)
class Links:
    """
    Resolved edges between ranked symbols.

    Args:
        sources: Place where each starts.
        targets: Place where it leads.
        weights: Confidence of the edge over the number of targets that its source's name has.
    """

    sources: Ints
    targets: Ints
    weights: Floats

    @classmethod
    def of(cls, edges: Iterable[Edge], corpus: Corpus, ranked: Bools) -> Links:
        """Keep each pair of ranked symbols once, with its surest edge."""
        place = corpus.symbols.place_of
        best: dict[tuple[int, int], float] = {}
        for edge in edges:
            source, target = place.get(edge.source_id), place.get(edge.target_id or 0)
            if source is None or target is None or source == target or not (ranked[source] and ranked[target]):
                continue
            best[source, target] = max(best.get((source, target), 0.0), edge.confidence)
        pairs = np.array(list(best), dtype=np.int64).reshape(-1, 2)
        return cls(pairs[:, 0], pairs[:, 1], np.array(list(best.values())))

    def to_targets(self, scores: Floats) -> Floats:
        """Give each symbol the highest score among those that refer to it."""
        spread = np.zeros_like(scores)
        np.maximum.at(spread, self.targets, scores[self.sources] * self.weights)
        return spread

    def to_sources(self, scores: Floats) -> Floats:
        """Give each symbol the highest score among those that it refers to."""
        spread = np.zeros_like(scores)
        np.maximum.at(spread, self.sources, scores[self.targets] * self.weights)
        return spread
