"""How near candidates lie to a description by their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.values import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.ranking.corpus import Corpus, Floats, Ints

_DAMPING = 10
"""Damping of ranks: the eleventh counts half as much as the first."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """Candidate symbols whose vectors are nearest to that of a description, nearest first: places and cosines."""

    places: tuple[int, ...]
    cosines: tuple[float, ...]

    def columns(self, places: Ints) -> Mapping[str, Floats]:
        """Return the columns of candidates; one not among the nearest gets their lowest cosine, and 0 by rank."""
        found = {place: rank for rank, place in enumerate(self.places)}
        farthest = min(self.cosines, default=0.0)
        ranks = [found.get(place, -1) for place in places.tolist()]
        return {
            "cosine": np.array([self.cosines[rank] if rank >= 0 else farthest for rank in ranks]),
            "nearness by rank": np.array([_DAMPING / (_DAMPING + rank) if rank >= 0 else 0.0 for rank in ranks]),
        }


def nearness_of(corpus: Corpus, hits: Sequence[tuple[int, float]]) -> Nearness:
    """Filter (symbol id, cosine), nearest first, to candidates: neither tests nor modules."""
    symbols = corpus.symbols
    places = symbols.places(np.array([symbol_id for symbol_id, _ in hits], dtype=np.int64)).tolist()
    kept = [
        (place, cosine)
        for place, (_, cosine) in zip(places, hits, strict=True)
        if place >= 0 and symbols.kind[place] != SymbolKind.MODULE and not corpus.files.is_test[symbols.file[place]]
    ]
    return Nearness(tuple(place for place, _ in kept), tuple(cosine for _, cosine in kept))
