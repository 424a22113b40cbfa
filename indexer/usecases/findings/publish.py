"""Publishes a findings layer over the current core: what analyzers found, and what was imported."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.domain.findings.finding import Analysis, settle, unchanged
from indexer.usecases.indexing.current_set import current_over

if TYPE_CHECKING:
    from common.core.clock import Clock
    from indexer.domain.findings.finding import Finding
    from indexer.domain.snapshots.snapshot import Layer, SnapshotSet
    from indexer.ports import CoreCode, FindingsArchive, FindingsLayer, SnapshotStore


class FindingsPublisher:
    """Makes findings layers."""

    def __init__(
        self, store: SnapshotStore, layers: FindingsLayer, code: CoreCode, archive: FindingsArchive, clock: Clock
    ) -> None:
        self._store = store
        self._layers = layers
        self._code = code
        self._archive = archive
        self._clock = clock

    def analysis(self, snapshot: SnapshotSet) -> Analysis | None:
        """Return what the findings layer of a set holds, None without one."""
        layer = snapshot.layer(LayerKind.FINDINGS)
        return self._layers.read(self._store.layer_folder(snapshot.repository, layer)) if layer else None

    def publish(self, snapshot: SnapshotSet, analysis: Analysis | None) -> SnapshotSet | None:
        """
        Publish a set with findings over a snapshot's core, and return it; None if another core is current by now.

        Args:
            analysis: New findings of analyzers; None keeps those of the current set.

        Raises StorageFull, StateForbids.
        """
        with self._store.staging(snapshot.repository) as staging:
            current = current_over(self._store, snapshot)
            if current is None:
                return None
            analyzed = analysis or self.analysis(current) or Analysis()
            found = [each for each in analyzed.findings if not each.imported]
            findings = self._settled(current, found)
            folder = staging / LayerKind.FINDINGS
            folder.mkdir()
            layer = self._layers.write(dataclasses.replace(analyzed, findings=findings), folder)
            return self._store.publish(self._with(current, layer, len(findings)), {layer: folder})

    def _settled(self, current: SnapshotSet, found: list[Finding]) -> tuple[Finding, ...]:
        core = self._store.layer_folder(current.repository, current.core)
        files = self._code.files(core)
        held = [*found, *unchanged(self._archive.findings(current.repository), files)]
        paths = sorted({each.path for each in held} & files.keys())
        return settle(held, files, self._code.symbols(core, paths))

    def _with(self, current: SnapshotSet, layer: Layer, findings: int) -> SnapshotSet:
        counts = dataclasses.replace(current.counts, findings=findings)
        return current.with_layer(layer, counts, self._clock.now())
