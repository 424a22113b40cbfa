"""Ranks symbols for a description of one of them, by words and, where they are ready, by vectors too."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.core.errors import AppError
from retriever.domain.describing.columns import columns_of
from retriever.domain.describing.model import BY_WORDS, signs_of
from retriever.domain.describing.nearness import nearness_of
from retriever.domain.describing.searched import Searched, read_description
from retriever.domain.describing.surroundings import Around
from retriever.domain.values import EdgeKind
from retriever.usecases.locating.naming import definitions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retriever.domain.describing.model import DescribingModel
    from retriever.domain.describing.wording import Wording
    from retriever.domain.ranking.corpus import Floats, Ints
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot, VectorHit

_NEAREST = 50
_MAX_CHARS = 4000
"""Most characters read of a description, which may be a whole question; more than its counted words need."""


@dataclass(frozen=True, slots=True)
class Meant:
    """
    The symbols that a description may refer to.

    Args:
        symbols: Best first; empty if no symbol matches the description at all.
        certainty: Probability that the right one is among the first three, 0 to 1.
    """

    symbols: tuple[Symbol, ...] = ()
    certainty: float = 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Candidates for a description: features of the description, their places in the corpus, a column per feature."""

    signs: Mapping[str, float]
    places: Ints
    columns: Mapping[str, Floats]


class FindDescribed:
    """
    Finds symbols by description.

    Args:
        model: Weights of the features.
        seconds: Returns the seconds that a vector search may take now; without vectors only words count. Raises
            DeadlineExceeded.
    """

    def __init__(self, model: DescribingModel, *, seconds: Callable[[], float]) -> None:
        self._model = model
        self._seconds = seconds

    async def run(self, snapshot: Snapshot, text: str, *, limit: int, use_vectors: bool = True) -> Meant:
        """Return up to `limit` symbols, never tests or modules; only the first `_MAX_CHARS` characters are read."""
        if snapshot.lexical.problem:
            return Meant()
        text = text[:_MAX_CHARS]
        near = await self._nearest(snapshot, text) if use_vectors else None
        return await asyncio.to_thread(self._rank, snapshot, text, limit, near)

    async def _nearest(self, snapshot: Snapshot, text: str) -> Sequence[VectorHit] | None:
        if snapshot.vectors is None:
            return None
        try:
            async with asyncio.timeout(self._seconds()):
                return await snapshot.vectors.nearest(text, symbols=_NEAREST, documents=0)
        except (TimeoutError, AppError):
            return None

    def _rank(self, snapshot: Snapshot, text: str, limit: int, near: Sequence[VectorHit] | None) -> Meant:
        measured = measure(snapshot, text, self._model.wording, near)
        if not len(measured.places):
            return Meant()
        weighting = self._model.words if near is None else self._model.vectors
        by_words = self._model.network.scores(measured.columns)
        scores = weighting.scores({**measured.columns, BY_WORDS: by_words})
        symbols = snapshot.lexical.corpus().symbols
        order = np.argsort(-scores, kind="stable").tolist()
        at = {place: position for position, place in zip(order, measured.places[order].tolist(), strict=True)}
        groups = symbols.by_definition(at)
        best = np.array([at[first] for first, *_ in groups], dtype=np.int64)
        certainty = weighting.certainty(signs_of(measured.columns, scores, best, measured.signs))
        found = definitions_of(snapshot, (symbols.ids[list(group)].tolist() for group in groups[:limit]))
        return Meant(tuple(shown for shown, _ in found), certainty)


def measure(snapshot: Snapshot, text: str, wording: Wording, near: Sequence[VectorHit] | None = None) -> Measured:
    """Choose candidates for a text and measure them; `near` are the nearest symbols by vectors, if there are any."""
    corpus = snapshot.lexical.corpus()
    asked = read_description(text, wording)
    searched = Searched.of(asked, corpus, snapshot.lexical.postings(asked.all))
    nearness = nearness_of(corpus, [(hit.symbol_id or 0, hit.score) for hit in near or ()])
    places = searched.candidates(nearness.places)
    ids = corpus.symbols.ids[places].tolist()
    calls = snapshot.graph.pairs(ids, (EdgeKind.CALL,))
    columns = {**columns_of(searched, Around.of(searched.found, places, calls)), **nearness.columns(places)}
    return Measured(searched.signs(), places, columns)
