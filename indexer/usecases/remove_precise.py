"""Has imports of SCIP indexes withdrawn by a process of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from indexer.usecases.kept_precise import files_of_imports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.precise.sites import Withdrawal
    from indexer.ports import PreciseArchive, PreciseImporter
    from indexer.usecases.snapshots import Snapshots


class RemovePrecise:
    """Withdraws imports."""

    def __init__(self, snapshots: Snapshots, archive: PreciseArchive, importer: PreciseImporter) -> None:
        self._snapshots = snapshots
        self._archive = archive
        self._importer = importer

    async def run(self, repository: str, import_ids: Sequence[str]) -> Withdrawal:
        """
        Publish a set without the edges of these imports.

        Raises RepositoryNotFound, IndexNotReady, ImportNotFound, StateForbids, StorageFull, ImportFailed.
        """
        await self._snapshots.get(repository, "")
        # What is not there is not worth a process: it would take seconds, and keep others from their turn.
        await asyncio.to_thread(files_of_imports, self._archive, repository, import_ids)
        return await self._importer.withdraw(repository, import_ids)
