"""Has imports of SCIP indexes withdrawn by a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.precise.sites import Withdrawal
    from indexer.ports import PreciseImporter
    from indexer.usecases.snapshots import Snapshots


class RemovePrecise:
    """Withdraws imports."""

    def __init__(self, snapshots: Snapshots, importer: PreciseImporter) -> None:
        self._snapshots = snapshots
        self._importer = importer

    async def run(self, repository: str, import_ids: Sequence[str]) -> Withdrawal:
        """
        Publish a set without the edges of these imports.

        Raises RepositoryNotFound, IndexNotReady, ImportNotFound, StateForbids, StorageFull, ImportFailed.
        """
        await self._snapshots.get(repository, "")
        return await self._importer.withdraw(repository, import_ids)
