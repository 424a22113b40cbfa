"""Has imports of SCIP indexes withdrawn by a process of its own, which applies the withdrawal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from indexer.domain.errors import ImportNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.precise.sites import Withdrawal
    from indexer.ports import PreciseArchive, PreciseImporter
    from indexer.usecases.snapshots import Snapshots


class WithdrawPrecise:
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
        # Unknown ids are refused here: a process for them would take seconds, and imports run one at a time.
        await asyncio.to_thread(files_of_imports, self._archive, repository, import_ids)
        return await self._importer.withdraw(repository, import_ids)


def files_of_imports(archive: PreciseArchive, repository: str, import_ids: Sequence[str]) -> int:
    """
    Return the number of files of the given imports, which may be stored or withdrawn without the set published yet.

    Blocks for a moment. Raises ImportNotFound if one of them is neither.
    """
    kept = {each.import_id: len(each.texts) for each in archive.imports(repository)}
    kept = {**archive.unfinished(repository), **kept}
    missing = [each for each in import_ids if each not in kept]
    if missing:
        raise ImportNotFound(
            f"{repository!r} has no import {missing[0]!r}; list what there is.",
            metadata={"repository": repository, "import_id": missing[0]},
        )
    return sum(kept[each] for each in set(import_ids))
