"""Ranks files, symbols and documents of a snapshot for a text, without a budget."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retriever.usecases.searching.plain_files import with_plain_files

if TYPE_CHECKING:
    from retriever.domain.questions.question import Ranking, SearchQuery
    from retriever.ports import SnapshotStore
    from retriever.usecases.searching.hybrid import Ranker


class Search:
    """Ranks what a snapshot holds."""

    def __init__(self, snapshots: SnapshotStore, ranker: Ranker) -> None:
        self._snapshots = snapshots
        self._ranker = ranker

    async def run(self, repository: str, snapshot_id: str, query: SearchQuery) -> tuple[str, Ranking]:
        """Return the snapshot read and the ranking."""
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            ranking = await self._ranker.run(snapshot, query)
            return snapshot.info.snapshot_id, await asyncio.to_thread(with_plain_files, snapshot, query, ranking)
