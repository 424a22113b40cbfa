"""Lists files that differ from their indexed state, if their source is a folder that can be read."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.domain.errors import SourceRefused, SourceUnavailable
from indexer.domain.jobs import JobQuery, JobSpec, JobState, LocalSource
from indexer.domain.tree import Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import CoreCode, SnapshotStore, SourceOpener
    from indexer.usecases.jobs.board import JobBoard
    from indexer.usecases.snapshots import Snapshots

_MOST_JOBS = 20
_PUBLISHED = (JobState.SUCCEEDED, JobState.ENRICHING)


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """
    The result of comparing files with their indexed state.

    Attributes:
        snapshot_id: The snapshot that the files were compared with.
        at_hand: Whether the source is a folder that can be read now; if not, no file was compared.
        paths: The requested files that have other contents or are gone, in the order of the request.
    """

    snapshot_id: str
    at_hand: bool
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListChangedFiles:
    """Compares files with their indexed state."""

    snapshots: Snapshots
    board: JobBoard
    store: SnapshotStore
    code: CoreCode
    sources: SourceOpener

    async def run(self, repository: str, snapshot_id: str, paths: Sequence[str]) -> ChangedFiles:
        """Compare the files. Raises RepositoryNotFound, IndexNotReady, SnapshotNotFound."""
        snapshot = (await self.snapshots.get(repository, snapshot_id)).snapshot
        jobs = await self.board.find(JobQuery(repository, states=_PUBLISHED, limit=_MOST_JOBS))
        source = jobs[0].spec.source if jobs else None
        if not isinstance(source, LocalSource):
            return ChangedFiles(snapshot.snapshot_id, at_hand=False)
        changed = await asyncio.to_thread(self._changed, snapshot, JobSpec(repository, source), tuple(paths))
        return ChangedFiles(snapshot.snapshot_id, at_hand=changed is not None, paths=changed or ())

    def _changed(self, snapshot: SnapshotSet, spec: JobSpec, paths: tuple[str, ...]) -> tuple[str, ...] | None:
        [core] = [layer for layer in snapshot.layers if layer.kind == LayerKind.CORE]
        files = self.code.files(self.store.layer_folder(spec.repository, core))
        known = {path: files[path].sha256 for path in paths if path in files}
        try:
            with self.sources.open(spec) as tree:
                found = zip(known.items(), tree.read([Entry(path, 0, "") for path in known]), strict=True)
                return tuple(
                    path for (path, digest), data in found if data is None or hashlib.sha256(data).hexdigest() != digest
                )
        except (SourceRefused, SourceUnavailable):
            return None
