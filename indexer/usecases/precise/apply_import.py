"""Imports a SCIP index: matches it with the files of the current snapshot, stores its edges and publishes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.errors import IndexMalformed, StateForbids
from indexer.domain.precise.sites import PreciseOutcome
from indexer.usecases.indexing.current_set import current_over, require_published
from indexer.usecases.precise.read import ReadPrecise

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from common.core.clock import Clock
    from indexer.domain.precise.sites import Reading
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import IndexedTexts, PreciseArchive, ScipIndex, SnapshotStore
    from indexer.usecases.precise.publish import PrecisePublisher


@dataclass(frozen=True, slots=True)
class ApplyPreciseImport:
    """
    Imports SCIP indexes. Blocks for seconds to minutes, on unchecked input: run it in a process of its own.

    Args:
        texts: Opens the texts of a core layer, given its folder.
    """

    store: SnapshotStore
    texts: Callable[[Path], AbstractContextManager[IndexedTexts]]
    archive: PreciseArchive
    publisher: PrecisePublisher
    clock: Clock

    def run(self, repository: str, index: ScipIndex) -> PreciseOutcome:
        """
        Publish a set whose precise layer has the index's edges for the files whose text the index was made from.

        Raises IndexMalformed; StateForbids if the index matches no file, or another snapshot was published meanwhile;
        RepositoryNotFound if the repository was removed meanwhile; StorageFull.
        """
        snapshot = self.store.current(repository)
        if snapshot is None:
            raise StateForbids.overtaken(repository)
        reading = self._read(snapshot, index)
        if not reading.files:
            raise _nothing(repository, snapshot.commit, reading)
        with self.store.staging(repository):  # the repository cannot be removed between check and import
            require_published(self.store, repository)
            self.archive.put(repository, reading.files, tool=index.tool(), time=self.clock.now())
        published = self.publisher.publish(snapshot)
        if published is None:
            raise StateForbids.overtaken(repository)
        with_edges, built = published
        return PreciseOutcome(
            with_edges.snapshot_id, len(reading.files), reading.refused, built.replaced, built.precise
        )

    def _read(self, snapshot: SnapshotSet, index: ScipIndex) -> Reading:
        """Match an index with a core; the core has no lease, so a publication or removal may delete it meanwhile."""
        try:
            with self.texts(self.store.layer_folder(snapshot.repository, snapshot.core)) as texts:
                return ReadPrecise(index, texts).run()
        except Exception as error:
            if current_over(self.store, snapshot) is not None:
                raise
            require_published(self.store, snapshot.repository)
            raise StateForbids.overtaken(snapshot.repository) from error


def _nothing(repository: str, commit: str, reading: Reading) -> Exception:
    if not reading.refused:
        return IndexMalformed.at("it has no documents")
    reasons = ", ".join(f"{number} {reason.words}" for reason, number in sorted(reading.refused.items()))
    made = f"commit {commit[:12]}" if commit else "the indexed files"
    return StateForbids(
        f"No document of the index fits the snapshot of {repository!r} ({reasons}). Make the index from {made}, or "
        "index the files anew and import again.",
        metadata={"repository": repository},
    )
