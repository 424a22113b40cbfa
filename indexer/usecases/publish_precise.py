"""Publishes a layer of precise edges over the current core: what was imported of files that are what they were."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING

from indexer.domain.jobs import Published

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.clock import Clock
    from indexer.domain.precise.sites import BuiltPrecise
    from indexer.domain.snapshot import Layer, SnapshotSet
    from indexer.ports import CoreCode, PreciseArchive, PreciseLayer, Scratch, SnapshotStore, WorkSink


class PrecisePublisher:
    """
    Makes precise layers.

    Args:
        version: Of the code that merges edges: another one makes the layer anew.
    """

    def __init__(
        self,
        store: SnapshotStore,
        layers: PreciseLayer,
        code: CoreCode,
        archive: PreciseArchive,
        scratch: Scratch,
        clock: Clock,
        *,
        version: str,
    ) -> None:
        self._store = store
        self._layers = layers
        self._code = code
        self._archive = archive
        self._scratch = scratch
        self._clock = clock
        self._version = version

    def run(self, snapshot: SnapshotSet, sink: WorkSink) -> SnapshotSet:
        """
        Return the set with precise edges, or the given one if it has them, or nothing was imported for its texts.

        Blocks for seconds; the repository is locked for the publication alone. Raises StorageFull, StateForbids.
        """
        published = self.publish(snapshot)
        if published is None or published[0] == snapshot:
            return snapshot
        sink.tell(Published(published[0].snapshot_id, unchanged=False, counts=published[0].counts))
        return published[0]

    def publish(self, snapshot: SnapshotSet) -> tuple[SnapshotSet, BuiltPrecise] | None:
        """
        Return the current set with the precise layer that fits its core, and what is in the layer.

        None if no import fits, or if another core is current by now. Raises StorageFull, StateForbids.
        """
        core = snapshot.layer("core")
        valid = self._valid(snapshot.repository, core) if core else {}
        if core is None or not valid:
            return None
        imports = self._identity(valid)
        layer = snapshot.layer("precise")
        if layer is not None:
            built_of, built = self._layers.read(self._store.layer_folder(snapshot.repository, layer))
            if built_of == imports:
                return snapshot, built
        with self._scratch.folder() as folder:
            files = self._archive.files(snapshot.repository, list(valid))
            core_folder = self._store.layer_folder(snapshot.repository, core)
            built = self._layers.build(core_folder, files, imports, folder)
            with self._store.staging(snapshot.repository):
                current = self._store.current(snapshot.repository)
                if current is None or current.layer("core") != core:
                    return None
                return self._store.publish(self._with(current, built), {built.layer: folder}), built

    def renew(self, snapshot: SnapshotSet) -> tuple[SnapshotSet, int] | None:
        """
        Return the current set after imports were withdrawn, and how many precise edges it has.

        None if another core is current by now: its job publishes what is left. Raises StorageFull, StateForbids.
        """
        core, layer = snapshot.layer("core"), snapshot.layer("precise")
        if core is None:
            return None
        if self._valid(snapshot.repository, core):
            published = self.publish(snapshot)
            return (published[0], published[1].precise) if published else None
        if layer is None:
            return snapshot, 0
        _, built = self._layers.read(self._store.layer_folder(snapshot.repository, layer))
        with self._store.staging(snapshot.repository):
            current = self._store.current(snapshot.repository)
            if current is None or current.layer("core") != core:
                return None
            return self._store.publish(self._without(current, built), {}), 0

    def _without(self, current: SnapshotSet, built: BuiltPrecise) -> SnapshotSet:
        return dataclasses.replace(
            current,
            layers=tuple(each for each in current.layers if each.kind != "precise"),
            counts=dataclasses.replace(current.counts, edges=built.edges - built.precise + built.replaced),
            publish_time=self._clock.now(),
        )

    def _valid(self, repository: str, core: Layer) -> Mapping[str, str]:
        """Return by path a hash of what is known, for files whose text is what the import was made for."""
        texts = self._archive.texts(repository)
        if not texts:
            return {}
        files = self._code.files(self._store.layer_folder(repository, core))
        return {
            path: digest for path, (sha256, digest) in texts.items() if path in files and files[path].sha256 == sha256
        }

    def _identity(self, valid: Mapping[str, str]) -> str:
        lines = (f"{path}\0{digest}" for path, digest in sorted(valid.items()))
        return hashlib.sha256("\n".join((self._version, *lines)).encode()).hexdigest()

    def _with(self, current: SnapshotSet, built: BuiltPrecise) -> SnapshotSet:
        layers = (*(each for each in current.layers if each.kind != "precise"), built.layer)
        return dataclasses.replace(
            current,
            layers=tuple(sorted(layers, key=lambda layer: layer.kind)),
            counts=dataclasses.replace(current.counts, edges=built.edges),
            publish_time=self._clock.now(),
        )
