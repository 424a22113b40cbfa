"""Combines a ranking by words and names with the nearest vectors of a text."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from common.core.errors import AppError
from common.core.runtime.concurrency import wait_for_both
from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.questions.question import RankedDocument, RankedSymbol, Ranking, SearchQuery
from retriever.usecases.locating.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot, VectorHit

_NEAREST = 50
_SYMBOL_DAMPING = 3
_DOCUMENT_DAMPING = 10
"""How slowly the lift falls with the rank: the fourth symbol and the eleventh page gain half of the first one's."""
_SIGNAL = "vectors"
_OFF = "vectors: turned off"


Key = TypeVar("Key", bound="Hashable")


class Ranker(Protocol):
    """Ranks files, symbols and pages of a snapshot for a query."""

    async def run(self, snapshot: Snapshot, query: SearchQuery) -> Ranking:
        """Return files, symbols and documents, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Lift:
    """Score that the nearest neighbour gains, as a share of the best score by words."""

    symbols: float
    documents: float


class Hybrid:
    """
    Adds to each score a lift by its rank among the nearest vectors (weighted reciprocal rank).

    Without vectors the ranking by words is returned; if vectors exist but cannot be searched in time, with a note.

    Args:
        words: Ranks by words and names, best score first.
        lift: By measurement: on docstrings in other words, taken out of the index, a lift of 1 brings the right
            symbol into the first three in 67 % of the cases, where words alone do in 54 %.
        seconds: Returns the seconds that a vector search may take now, less near a deadline. Raises DeadlineExceeded.
    """

    def __init__(self, words: Ranker, lift: Lift, *, seconds: Callable[[], float]) -> None:
        self._words = words
        self._lift = lift
        self._seconds = seconds

    async def run(self, snapshot: Snapshot, query: SearchQuery) -> Ranking:
        """Rank by words and by vectors at the same time, and join both."""
        wider = replace(query, max_symbols=max(query.max_symbols, _NEAREST) if query.max_symbols else 0)
        if query.near:
            ranking = await self._words.run(snapshot, wider)
            return await asyncio.to_thread(self._joined, snapshot, query, ranking, query.near, ())
        ranking, (hits, problem) = await wait_for_both(self._words.run(snapshot, wider), self._nearest(snapshot, query))
        if hits is None:
            kept = ranking.symbols[: query.max_symbols]
            skipped = (*ranking.skipped, problem) if problem else ranking.skipped
            return replace(ranking, symbols=kept, skipped=skipped)
        symbols = tuple(hit.symbol_id for hit in hits if hit.symbol_id is not None)
        documents = tuple(hit.document_id for hit in hits if hit.document_id is not None)
        return await asyncio.to_thread(self._joined, snapshot, query, ranking, symbols, documents)

    async def _nearest(self, snapshot: Snapshot, query: SearchQuery) -> tuple[tuple[VectorHit, ...] | None, str]:
        """Return the nearest neighbours, or None with the reason, which is "" if the snapshot has no vectors."""
        if not query.use_vectors:
            return None, _OFF
        if snapshot.vectors is None:
            return None, f"vectors: {snapshot.vectors_problem}" if snapshot.vectors_problem else ""
        symbols, documents = _NEAREST if query.max_symbols else 0, _NEAREST if query.max_docs else 0
        try:
            async with asyncio.timeout(self._seconds()):
                return await snapshot.vectors.nearest(query.text, symbols=symbols, documents=documents), ""
        except TimeoutError:
            return None, "vectors: not in time"
        except AppError as error:
            return None, f"vectors: {error.message}"

    def _joined(
        self,
        snapshot: Snapshot,
        query: SearchQuery,
        ranking: Ranking,
        symbols: tuple[int, ...],
        documents: Sequence[int],
    ) -> Ranking:
        """Join a ranking by words with the ids of the nearest symbols and documents."""
        return replace(
            ranking,
            symbols=self._symbols(snapshot, query, ranking.symbols, symbols),
            documents=self._documents(snapshot, query, ranking.documents, documents),
            ran=(*ranking.ran, _SIGNAL),
            near=symbols,
        )

    def _symbols(
        self, snapshot: Snapshot, query: SearchQuery, ranked: Sequence[RankedSymbol], near: Sequence[int]
    ) -> tuple[RankedSymbol, ...]:
        groups = grouped_by_name(symbols_by_id(snapshot, near).values())
        known = {each.symbol.definition: each for each in ranked}
        for group in groups:
            if _asked(query, group[0]):
                shown, others = shown_of(group)
                known.setdefault(shown.definition, RankedSymbol(shown, 0.0, others=others))
        first = self._lift.symbols * (ranked[0].score if ranked else 1.0)
        gain = _gains([group[0].definition for group in groups], first, _SYMBOL_DAMPING)
        lifted = [
            replace(each, score=each.score + gain[key], signals=(*each.signals, _SIGNAL)) if key in gain else each
            for key, each in known.items()
        ]
        lifted.sort(key=lambda each: (-each.score, each.symbol.path, each.symbol.start_line))
        return tuple(lifted[: query.max_symbols])

    def _documents(
        self, snapshot: Snapshot, query: SearchQuery, ranked: Sequence[RankedDocument], near: Sequence[int]
    ) -> tuple[RankedDocument, ...]:
        known = {each.document.id: each for each in ranked}
        found = snapshot.documents.get([key for key in near if key not in known])
        new = [each for each in found if each.path.startswith(query.path_prefix)]
        known.update({document.id: RankedDocument(document, 0.0) for document in new})
        gain = _gains(near, self._lift.documents * (ranked[0].score if ranked else 1.0), _DOCUMENT_DAMPING)
        lifted = [replace(each, score=each.score + gain.get(key, 0.0)) for key, each in known.items()]
        lifted.sort(key=lambda each: (-each.score, each.document.path, each.document.start_line))
        return tuple(lifted[: query.max_docs])


def _gains(near: Sequence[Key], first: float, damping: int) -> dict[Key, float]:
    return {key: first * damping / (damping + rank) for rank, key in enumerate(near)}


def _asked(query: SearchQuery, symbol: Symbol) -> bool:
    return symbol.path.startswith(query.path_prefix) and (query.include_tests or not symbol.is_test)
