"""Makes the vectors layer of a snapshot that serves already, and publishes a new set over the same core."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.domain.jobs import Phase, Published
from indexer.usecases.indexing.current_set import current_over
from indexer.usecases.jobs.phases import Phases

if TYPE_CHECKING:
    from common.core.clock import Clock
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import Scratch, SnapshotStore, VectorBuilder, WorkSink


class AddVectors:
    """Adds vectors to snapshots."""

    def __init__(self, builder: VectorBuilder, store: SnapshotStore, scratch: Scratch, clock: Clock) -> None:
        self._builder = builder
        self._store = store
        self._scratch = scratch
        self._clock = clock

    def run(self, snapshot: SnapshotSet, sink: WorkSink) -> SnapshotSet:
        """
        Return the set with vectors, or the given one if it has them or another core was published meanwhile.

        Blocks for minutes; the repository is locked for the publication alone. Raises DependencyUnavailable,
        ModelUnavailable, StorageFull; the snapshot without vectors stays in all cases.
        """
        if snapshot.layer(LayerKind.VECTORS) is not None:
            return snapshot
        phases = Phases(sink, self._clock, snapshot.counts)
        phases.begin(Phase.EMBEDDING)
        with self._scratch.folder() as folder:
            core_folder = self._store.layer_folder(snapshot.repository, snapshot.core)
            built = self._builder.build(snapshot.repository, core_folder, folder, phases.advance)
            with self._store.staging(snapshot.repository):
                current = current_over(self._store, snapshot)
                if current is None:
                    return snapshot
                counts = dataclasses.replace(current.counts, vectors=built.points)
                with_vectors = current.with_layer(built.layer, counts, self._clock.now())
                published = self._store.publish(with_vectors, {built.layer: folder})
        self._forget_others(published)
        phases.end()
        sink.tell(Published(published.snapshot_id, unchanged=False, counts=published.counts))
        return published

    def _forget_others(self, published: SnapshotSet) -> None:
        layers = {layer for each in self._store.sets(published.repository) for layer in each.layers}
        folders = sorted(self._store.layer_folder(published.repository, layer) for layer in layers)
        self._builder.keep_only(published.repository, [each for each in folders if each.name.startswith("vectors-")])
