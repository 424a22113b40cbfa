"""Converts points of a vectors layer into rows of code.db; a row occurs once, even if several of its parts match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.ports import VectorHit

if TYPE_CHECKING:
    from collections.abc import Iterable

# Long pages have up to four points: request more points to get enough distinct pages.
ROOM_FOR_CHUNKS = {"symbol": 1, "doc": 4}


def best_rows(rows: Iterable[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
    """Keep the best score of each row id, best first, ties by id, at most `limit`."""
    best: dict[int, float] = {}
    for row_id, score in rows:
        best[row_id] = max(score, best.get(row_id, -1.0))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]


def hits_of(kind: str, rows: Iterable[tuple[int, float]]) -> Iterable[VectorHit]:
    """Convert (row id, score) of symbols (kind "symbol") or documents (kind "doc") into hits."""
    for row_id, score in rows:
        yield VectorHit(row_id if kind == "symbol" else None, row_id if kind == "doc" else None, score)


def nearest_first(hits: Iterable[VectorHit]) -> tuple[VectorHit, ...]:
    """Order hits of both kinds by nearness; ties go to pages, then by id."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.symbol_id or 0, hit.document_id or 0)))
