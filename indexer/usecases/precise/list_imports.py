"""Lists imported SCIP indexes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from indexer.domain.precise.sites import ListedImport

if TYPE_CHECKING:
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import CoreCode, PreciseArchive, SnapshotStore
    from indexer.usecases.snapshots import Snapshots


class ListPrecise:
    """Lists imports, each with the number of its files whose text in the current snapshot is still the imported one."""

    def __init__(self, snapshots: Snapshots, store: SnapshotStore, code: CoreCode, archive: PreciseArchive) -> None:
        self._snapshots = snapshots
        self._store = store
        self._code = code
        self._archive = archive

    async def run(self, repository: str) -> tuple[ListedImport, ...]:
        """Return the imports of a repository, newest first. Raises RepositoryNotFound, IndexNotReady."""
        current = (await self._snapshots.get(repository, "")).snapshot
        return await asyncio.to_thread(self._listed, current)

    def _listed(self, current: SnapshotSet) -> tuple[ListedImport, ...]:
        kept = self._archive.imports(current.repository)
        if not kept:
            return ()
        files = self._code.files(self._store.layer_folder(current.repository, current.core))
        return tuple(
            ListedImport(each, sum(path in files and files[path].sha256 == sha for path, sha in each.texts.items()))
            for each in kept
        )
