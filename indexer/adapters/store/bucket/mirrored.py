"""Publishes snapshots in the data folder and in object storage, for readers on other machines."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from common.objects.bucket import ObjectStoreUnavailable
from indexer.adapters.store.snapshots import FolderSnapshotStore
from indexer.domain.errors import RepositoryNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from common.core.clock import Clock
    from indexer.adapters.store.bucket.uploads import SnapshotUploads
    from indexer.domain.snapshots.snapshot import Layer, SnapshotSet


class MirroredSnapshotStore(FolderSnapshotStore):
    """
    Publishes in the folder, then in the bucket; a publication is complete when the set is in both.

    Raises ObjectStoreUnavailable if the bucket cannot be reached; the set is in the folder then and is uploaded later.
    """

    def __init__(self, folder: Path, clock: Clock, reached: Callable[[str], None], uploads: SnapshotUploads) -> None:
        super().__init__(folder, clock, reached)
        self._uploads = uploads

    def announce(self, repository: str) -> None:
        """Announce a repository to readers of the folder; readers of the bucket learn of it with the next upload."""
        super().announce(repository)
        self._uploads.owe(repository)

    def publish(self, snapshot: SnapshotSet, staged: Mapping[Layer, Path]) -> SnapshotSet:
        """Publish in both places."""
        self._uploads.owe(snapshot.repository)
        published = super().publish(snapshot, staged)
        with _explained(published):
            self._uploads.bring(snapshot.repository)
        return published

    def ensure_served(self, snapshot: SnapshotSet) -> None:
        """Upload the current set if an earlier publication did not complete the upload."""
        with _explained(snapshot):
            self._uploads.bring(snapshot.repository)

    def rollback(self, repository: str, snapshot_id: str) -> SnapshotSet:
        """Make another set current in both places."""
        self._uploads.owe(repository)
        chosen = super().rollback(repository, snapshot_id)
        with _explained(chosen):
            self._uploads.bring(repository)
        return chosen

    def delete(self, repository: str) -> int:
        """Remove a repository from the folder and return its number of sets; 0 if only the bucket has it."""
        try:
            return super().delete(repository)
        except RepositoryNotFound:
            if not self._uploads.has(repository):
                raise
            return 0


@contextmanager
def _explained(snapshot: SnapshotSet) -> Iterator[None]:
    try:
        yield
    except ObjectStoreUnavailable as error:
        text = (
            f"{error.message}. Snapshot {snapshot.snapshot_id[:12]} is kept by the indexer and follows by itself when"
            " object storage answers; until then readers have the one before"
        )
        told = ObjectStoreUnavailable(text, metadata=error.metadata)
        told.detail = error.detail
        raise told from error
