"""Runs analyzers over a snapshot that serves already, and publishes a new set over the same core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.errors import AnalyzerFailed
from indexer.domain.findings.finding import Analysis
from indexer.domain.jobs import Phase, Published
from indexer.usecases.jobs.phases import Phases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from common.core.clock import Clock
    from indexer.domain.findings.finding import Finding
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.ports import Analyzer, Scratch, SnapshotStore, WorkSink
    from indexer.usecases.findings.publish import FindingsPublisher


@dataclass(frozen=True, slots=True)
class AddFindings:
    """
    Adds findings to snapshots.

    Args:
        analyzers: May be empty: the layer then records that none ran, and holds only the imported findings.
        on_failure: Called with the name of an analyzer that failed, and the reason.
    """

    analyzers: Sequence[Analyzer]
    publisher: FindingsPublisher
    store: SnapshotStore
    scratch: Scratch
    clock: Clock
    on_failure: Callable[[str, str], None]

    def run(self, snapshot: SnapshotSet, sink: WorkSink) -> SnapshotSet:
        """
        Return the set with findings, or the given one if these analyzers ran on it or another core came meanwhile.

        Blocks for seconds; the repository is locked for the publication alone. Raises StorageFull, StateForbids; an
        analyzer that fails leaves the findings of the others.
        """
        versions = {each.name: each.version for each in self.analyzers}
        earlier = self.publisher.analysis(snapshot)
        if earlier is not None and earlier.analyzers == versions and not earlier.failed:
            return snapshot
        phases = Phases(sink, self.clock, snapshot.counts)
        phases.begin(Phase.ANALYZING, len(self.analyzers))
        findings: list[Finding] = []
        failed: dict[str, str] = {}
        for analyzer in self.analyzers:
            try:
                findings += self._analyze(analyzer, self.store.layer_folder(snapshot.repository, snapshot.core))
            except AnalyzerFailed as error:
                failed[analyzer.name] = error.message
                self.on_failure(analyzer.name, error.message)
            phases.advance()
        published = self.publisher.publish(snapshot, Analysis(tuple(findings), versions, failed))
        if published is None:
            return snapshot
        phases.counts = published.counts
        phases.end()
        sink.tell(Published(published.snapshot_id, unchanged=False, counts=published.counts))
        return published

    def _analyze(self, analyzer: Analyzer, core: Path) -> Sequence[Finding]:
        with self.scratch.folder() as room:
            return analyzer.analyze(core, room)
