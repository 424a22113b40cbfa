"""Withdraws imported SCIP indexes: deletes them, and publishes the edges of the remaining ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.errors import StateForbids
from indexer.domain.precise.sites import Withdrawal
from indexer.usecases.precise.withdraw import files_of_imports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.ports import PreciseArchive, SnapshotStore
    from indexer.usecases.precise.publish import PrecisePublisher

_TRIES = 3


class ApplyPreciseWithdrawal:
    """Withdraws imports. Blocks for seconds: run it in a process of its own."""

    def __init__(self, store: SnapshotStore, archive: PreciseArchive, publisher: PrecisePublisher) -> None:
        self._store = store
        self._archive = archive
        self._publisher = publisher

    def run(self, repository: str, import_ids: Sequence[str]) -> Withdrawal:
        """
        Publish a set without the edges of the given imports; all of the imports or none are withdrawn.

        If the imports were deleted, but the set could not be published, a second call with the same ids publishes it.
        Raises ImportNotFound, StorageFull, StateForbids if other cores are published in every attempt.
        """
        files = files_of_imports(self._archive, repository, import_ids)
        with self._store.staging(repository):  # publishers hold this lock from checking imports to the end
            self._archive.withdraw(repository, import_ids)
        for _ in range(_TRIES):
            snapshot = self._store.current(repository)
            renewed = self._publisher.renew(snapshot) if snapshot else None
            if renewed is not None:
                self._archive.finish(repository, import_ids)
                return Withdrawal(renewed[0].snapshot_id, files, renewed[1])
        raise StateForbids(
            f"The imports are withdrawn, but {repository!r} is being indexed anew; its next snapshot is without them.",
            metadata={"repository": repository},
        )
