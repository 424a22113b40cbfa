"""Ranks files, symbols and documents of a snapshot for a text, without a budget."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.usecases.searching.plain_files import with_plain_files

if TYPE_CHECKING:
    from retriever.domain.questions.question import Ranking, SearchQuery
    from retriever.ports import Snapshot, SnapshotStore
    from retriever.usecases.searching.hybrid import Ranker

_MOST_LINES = 2000
"""Most lines with the text of a query that are read before filtering by path."""


class Search:
    """Ranks files and symbols of a snapshot."""

    def __init__(self, snapshots: SnapshotStore, ranker: Ranker) -> None:
        self._snapshots = snapshots
        self._ranker = ranker

    async def run(self, repository: str, snapshot_id: str, query: SearchQuery) -> tuple[str, Ranking]:
        """Return the snapshot read and the ranking."""
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            ranking = await self._ranker.run(snapshot, query)
            ranking = await asyncio.to_thread(with_plain_files, snapshot, query, ranking)
            lines = await asyncio.to_thread(_lines, snapshot, query) if query.max_lines else ()
            return snapshot.info.snapshot_id, replace(ranking, lines=lines)


def _lines(snapshot: Snapshot, query: SearchQuery) -> tuple[tuple[Span, str], ...]:
    found = snapshot.texts.find(query.text, limit=_MOST_LINES)
    kept = [each for each in found if each.path.startswith(query.path_prefix)][: query.max_lines]
    return tuple(
        (Span(each.path, each.line, each.line), snapshot.files.lines(each.path, each.line, each.line)) for each in kept
    )
