"""Publishes a layer of precise edges over the current core, for files that are unchanged since their import."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.domain.jobs import Published
from indexer.usecases.indexing.current_set import current_over

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.clock import Clock
    from indexer.domain.precise.sites import BuiltPrecise
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import CoreCode, PreciseArchive, PreciseLayer, Scratch, SnapshotStore, WorkSink


_TRIES = 3


@dataclass(frozen=True, slots=True)
class PrecisePublisher:
    """
    Makes precise layers.

    Args:
        version: Version of the code that merges precise edges with the others; layers of other versions are rebuilt.
    """

    store: SnapshotStore
    layers: PreciseLayer
    code: CoreCode
    archive: PreciseArchive
    scratch: Scratch
    clock: Clock
    version: str

    def run(self, snapshot: SnapshotSet, sink: WorkSink) -> SnapshotSet:
        """
        Publish the snapshot with the imported edges that are valid for its texts; return it if it has them already.

        Blocks for seconds; the repository is locked for the publication alone. Raises StorageFull, StateForbids.
        """
        if snapshot.layer(LayerKind.PRECISE) is None and not self.archive.texts(snapshot.repository):
            return snapshot
        renewed = self.renew(snapshot)
        if renewed is None or renewed[0] == snapshot:
            return snapshot
        sink.tell(Published(renewed[0].snapshot_id, unchanged=False, counts=renewed[0].counts))
        return renewed[0]

    def publish(self, snapshot: SnapshotSet) -> tuple[SnapshotSet, BuiltPrecise] | None:
        """
        Return the current set with the precise layer that is valid for its core, and the layer's numbers of edges.

        None if no imported file is unchanged, if another core is current by now, or if imports changed in each of the
        three attempts. Raises StorageFull, StateForbids.
        """
        for _ in range(_TRIES):
            current = current_over(self.store, snapshot)
            if current is None:
                return None
            try:
                valid = self._valid(current)
                if not valid:
                    return None
                published = self._kept(current, valid) or self._build(current, valid)
            except Exception:
                if self.store.current(current.repository) == current:
                    raise
                continue  # its layers have no lease: a publication meanwhile may have deleted them
            if published is not None:
                return published
        return None

    def renew(self, snapshot: SnapshotSet) -> tuple[SnapshotSet, int] | None:
        """
        Return the current set with the imports that are valid now, possibly none, and its number of precise edges.

        None if another core is current by now: its job publishes the valid imports. Raises StorageFull, StateForbids.
        """
        published = self.publish(snapshot)
        if published is not None:
            return published[0], published[1].precise
        with self.store.staging(snapshot.repository):
            current = current_over(self.store, snapshot)
            if current is None or self._valid(current):
                return None
            layer = current.layer(LayerKind.PRECISE)
            if layer is None:
                return current, 0
            _, built = self.layers.read(self.store.layer_folder(current.repository, layer))
            return self.store.publish(self._without(current, built), {}), 0

    def _kept(self, current: SnapshotSet, valid: Mapping[str, str]) -> tuple[SnapshotSet, BuiltPrecise] | None:
        """Return the set and its layer's numbers if the layer was built from exactly the valid imports, else None."""
        layer = current.layer(LayerKind.PRECISE)
        if layer is None:
            return None
        built_of, built = self.layers.read(self.store.layer_folder(current.repository, layer))
        return (current, built) if built_of == self._identity(valid) else None

    def _build(self, base: SnapshotSet, valid: Mapping[str, str]) -> tuple[SnapshotSet, BuiltPrecise] | None:
        """Build a layer and publish it; None if the core or the valid imports changed meanwhile."""
        imports = self._identity(valid)
        with self.scratch.folder() as folder:
            files = self.archive.files(base.repository, list(valid))
            core = self.store.layer_folder(base.repository, base.core)
            built = self.layers.build(core, files, imports, folder)
            with self.store.staging(base.repository):
                current = current_over(self.store, base)
                if current is None or self._identity(self._valid(current)) != imports:
                    return None
                return self.store.publish(self._with(current, built), {built.layer: folder}), built

    def _without(self, current: SnapshotSet, built: BuiltPrecise) -> SnapshotSet:
        counts = dataclasses.replace(current.counts, edges=built.edges - built.precise + built.replaced)
        return current.without_layer(LayerKind.PRECISE, counts, self.clock.now())

    def _valid(self, snapshot: SnapshotSet) -> Mapping[str, str]:
        """Return by path a hash of the imported edges, for files whose text is the same as at the import."""
        texts = self.archive.texts(snapshot.repository)
        if not texts:
            return {}
        files = self.code.files(self.store.layer_folder(snapshot.repository, snapshot.core))
        return {
            path: digest for path, (sha256, digest) in texts.items() if path in files and files[path].sha256 == sha256
        }

    def _identity(self, valid: Mapping[str, str]) -> str:
        lines = (f"{path}\0{digest}" for path, digest in sorted(valid.items()))
        return hashlib.sha256("\n".join((self.version, *lines)).encode()).hexdigest()

    def _with(self, current: SnapshotSet, built: BuiltPrecise) -> SnapshotSet:
        counts = dataclasses.replace(current.counts, edges=built.edges)
        return current.with_layer(built.layer, counts, self.clock.now())
