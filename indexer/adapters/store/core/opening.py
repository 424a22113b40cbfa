"""Opens the store of published snapshots: a folder, and object storage as its mirror if configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.clock import SystemClock
from indexer.adapters.store.disk import failpoint
from indexer.adapters.store.snapshots import FolderSnapshotStore

if TYPE_CHECKING:
    from indexer.adapters.store.bucket.uploads import SnapshotUploads
    from indexer.settings import IndexerSettings


def open_store(settings: IndexerSettings, uploads: SnapshotUploads | None = None) -> FolderSnapshotStore:
    """Return the store of published snapshots by the settings; `uploads` if the caller has opened them already."""
    folder, clock, reached = settings.data_dir / "repositories", SystemClock(), failpoint(settings.failpoint)
    uploads = uploads or open_uploads(settings)
    if uploads is None:
        return FolderSnapshotStore(folder, clock, reached)
    from indexer.adapters.store.bucket.mirrored import MirroredSnapshotStore  # loads a client that few need

    return MirroredSnapshotStore(folder, clock, reached, uploads)


def open_uploads(settings: IndexerSettings) -> SnapshotUploads | None:
    """Return the uploader of published snapshots; None if no object storage is configured. Raises StartupError."""
    if not settings.object_store_url:
        return None
    from common.objects.bucket import open_bucket  # loads a client that few need
    from indexer.adapters.store.bucket.uploads import SnapshotUploads

    clock, reached = SystemClock(), failpoint(settings.failpoint)
    store = FolderSnapshotStore(settings.data_dir / "repositories", clock, reached)
    return SnapshotUploads(store, settings.data_dir, open_bucket(settings), clock, reached)
