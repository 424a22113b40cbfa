"""Makes a snapshot of a source: scan, parse what changed, link, write, publish."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.domain.cochange import count_changes
from indexer.domain.cross_language.contracts import Contracts
from indexer.domain.cross_language.platforms import across_languages
from indexer.domain.errors import CoreDamaged
from indexer.domain.failures import NO_UNIT, Failures
from indexer.domain.jobs import JobSpec, Phase, Published
from indexer.domain.model import ALL_TIERS, LinkUnit
from indexer.domain.snapshots.core import Core, IndexedFile, LinkedEdges
from indexer.domain.snapshots.snapshot import Counts, SnapshotSet
from indexer.domain.source.identity import source_identity
from indexer.domain.text.metadata import describe_files
from indexer.domain.text.pages import make_pages
from indexer.usecases.indexing.contained_link import link_contained
from indexer.usecases.jobs.phases import Phases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from common.core.clock import Clock
    from indexer.domain.model import Edge
    from indexer.domain.parsing import PlacedFile
    from indexer.domain.source.scan import Scan
    from indexer.domain.tree import KeptFile, Link
    from indexer.ports import (
        CoreWriter,
        Linker,
        PublishedCore,
        PublishedCores,
        SnapshotStore,
        SourceOpener,
        SourceTree,
        WorkSink,
    )
    from indexer.usecases.indexing.publish_edit import EditPublisher
    from indexer.usecases.indexing.read_facts import FactsReader
    from indexer.usecases.indexing.scan_tree import TreeScanner


@dataclass(frozen=True, slots=True)
class IndexingResult:
    """
    The outcome of an indexing run, and its counts.

    Args:
        unchanged: The current snapshot was already that of the source.
        failures: By path, why a file is indexed as text only or has no edges; by language, why edges of any of its
            files may be missing.
    """

    snapshot: SnapshotSet
    unchanged: bool
    counts: Counts
    seconds: Mapping[Phase, float]
    failures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexRepository:
    """
    Indexes one repository.

    Args:
        identity: Versions and settings that change the result, by name; part of the source identity.
        linkers: By language; files of other languages have no edges.
        edits: Publishes a provisional snapshot of an edit, before all files are linked again.
        history_commits: Number of commits that are read to find files that change together.
    """

    sources: SourceOpener
    scanner: TreeScanner
    facts: FactsReader
    linkers: Mapping[str, Linker]
    writer: CoreWriter
    store: SnapshotStore
    cores: PublishedCores
    edits: EditPublisher
    clock: Clock
    history_commits: int
    identity: Mapping[str, str]

    def prepare(self) -> None:
        """Start the parsing processes, before it is known what to index."""
        self.facts.prepare()

    def run(self, spec: JobSpec, sink: WorkSink) -> IndexingResult:
        """
        Publish a snapshot of the source, unless the current snapshot already is one of the same source.

        If the source was edited, a provisional snapshot is published first where that is possible; the exact one then
        replaces it. Raises SourceRefused, SourceUnavailable, StorageFull; the published snapshot stays in all cases.
        """
        phases = Phases(sink, self.clock)
        phases.begin(Phase.FETCHING)
        with self.sources.open(spec) as tree:
            try:
                outcome = self._index(spec, tree, self.store.current(spec.repository), phases, sink)
            except CoreDamaged:
                outcome = self._index(spec, tree, None, phases, sink)
        sink.tell(Published(outcome.snapshot.snapshot_id, outcome.unchanged, outcome.counts))
        return outcome

    def _index(
        self,
        spec: JobSpec,
        tree: SourceTree,
        base: SnapshotSet | None,
        phases: Phases,
        sink: WorkSink,
    ) -> IndexingResult:
        """Index; texts of unchanged files are taken from `base`, the published set. Raises CoreDamaged."""
        with self._opened(base) as core:
            published = core.files() if core else {}
            self.facts.expect(published)
            kept = {path: file.kept for path, file in published.items()}
            scan = self.scanner.scan(spec.repository, tree, kept, phases)
            edited = core is not None and _differs(scan, kept)
            self.facts.restart()
            if base is not None and core is not None and not edited and self._made(base, scan):
                core.require_intact()
                return self._unchanged(base, phases)
            if edited:
                self.facts.prepare()
            phases.counts = dataclasses.replace(phases.counts, files=len(scan.files))
            if base is not None and core is not None:
                shown = self._shown(base, core, scan, phases) if edited else None
                if shown is not None:
                    sink.tell(Published(shown.snapshot_id, unchanged=False, counts=shown.counts, provisional=True))
                core.require_intact()
            placed = self.facts.place(scan.files)
            built = self._build(spec, scan, placed, tree, phases)
            snapshot = self._publish(built, scan, phases)
        return IndexingResult(snapshot, False, phases.counts, phases.seconds, built.failures)

    def _shown(self, base: SnapshotSet, core: PublishedCore, scan: Scan, phases: Phases) -> SnapshotSet | None:
        """Publish an edit at once, with the module names of the published core; None if that is not possible."""
        known = {path: file.module for path, file in core.files().items()}
        return self.edits.publish(base, core, scan, self.facts.place(scan.files, known), phases)

    def _made(self, base: SnapshotSet, scan: Scan) -> bool:
        """Return whether a set is exact, and was made from the same files with the same settings and versions."""
        return not base.provisional and base.source_identity == self._identity_of(scan)

    def _identity_of(self, scan: Scan) -> str:
        return source_identity(scan.files, scan.skipped, scan.identity(self.identity))

    def _unchanged(self, base: SnapshotSet, phases: Phases) -> IndexingResult:
        current = self._mended(base)
        self.store.ensure_served(current)
        phases.counts = current.counts
        phases.end()
        return IndexingResult(current, unchanged=True, counts=current.counts, seconds=phases.seconds)

    def _mended(self, current: SnapshotSet) -> SnapshotSet:
        """Return the current set, published without its damaged later layers if any; the job makes them again."""
        later = [each for each in current.layers if each != current.core]
        damaged = self.store.damaged(current.repository, later)
        if not damaged:
            return current
        with self.store.staging(current.repository):
            latest = self.store.current(current.repository) or current
            layers = tuple(each for each in latest.layers if each not in damaged)
            return self.store.publish(dataclasses.replace(latest, layers=layers, publish_time=self.clock.now()), {})

    @contextmanager
    def _opened(self, base: SnapshotSet | None) -> Iterator[PublishedCore | None]:
        if base is None:
            yield None
            return
        with self.cores.open(base.core, self.store.layer_folder(base.repository, base.core)) as core:
            yield core

    def _build(
        self,
        spec: JobSpec,
        scan: Scan,
        placed: Sequence[PlacedFile],
        tree: SourceTree,
        phases: Phases,
    ) -> Core:
        with ThreadPoolExecutor(1) as beside:  # git reads the history while we parse and link
            commits = beside.submit(tree.history, self.history_commits)
            files = self.facts.read(placed, phases)
            phases.begin(Phase.LINKING)  # without a number of units: a linker reports no progress
            edges = self._link(files, scan.links)
            phases.begin(Phase.WRITING)
        files = _with_failures(files, edges)
        failed = (failure for file in files if (failure := file.failure))
        skipped = sorted((*scan.skipped, *failed), key=lambda each: each.path)
        paths = {file.source.path for file in files}
        history = count_changes(commits.result(), paths)
        metadata = describe_files(files)
        pages = make_pages(spec.repository, files, edges, metadata)
        identity = self._identity_of(scan)
        return Core(spec.repository, identity, scan.revision, files, edges, skipped, pages, history, metadata)

    def _link(self, files: Sequence[IndexedFile], links: Sequence[Link]) -> tuple[LinkedEdges, ...]:
        linked = []
        for name, linker in sorted(self.linkers.items()):
            positions = tuple(at for at, file in enumerate(files) if file.parsed and file.parsed.language == name)
            units = [
                LinkUnit(path := files[position].source.path, files[position].module, parsed, _aliases(path, links))
                for position in positions
                if (parsed := files[position].parsed) is not None
            ]
            found = link_contained(linker, units)
            linked.append(
                LinkedEdges(positions, found.edges, name, found.cut, found.by_name, found.platform, found.failed)
            )
        remote: list[Edge] = []
        failures = Failures()
        with failures.contained():
            remote = Contracts(files, linked).edges()
        with failures.contained():
            linked = across_languages(files, linked)
        cut = ALL_TIERS if failures.reasons else ()
        between = LinkedEdges(tuple(range(len(files))), remote, cut=cut, failed=failures.reasons)
        return (*linked, between) if remote or cut else tuple(linked)

    def _publish(self, core: Core, scan: Scan, phases: Phases) -> SnapshotSet:
        self.store.announce(core.repository)  # the service did so when it queued the job; indexing by hand did not
        with self.store.staging(core.repository) as staging:
            folder = staging / LayerKind.CORE
            folder.mkdir()
            summary = self.writer.write(core, folder)
            phases.begin(Phase.PUBLISHING)
            cut = {linked.language: linked.cut for linked in core.edges if linked.cut}
            phases.counts = scan.counts(summary, core.skipped, dataclasses.replace(phases.counts, cut=cut))
            snapshot = SnapshotSet(
                repository=core.repository,
                source_identity=core.source_identity,
                commit=core.revision.commit,
                dirty=core.revision.dirty,
                publish_time=self.clock.now(),
                counts=phases.counts,
                layers=(summary.layer,),
            )
            published = self.store.publish(snapshot, {summary.layer: folder})
        phases.end()
        return published


def _with_failures(files: Sequence[IndexedFile], edges: Sequence[LinkedEdges]) -> tuple[IndexedFile, ...]:
    """Return the files; those without edges because the linker failed have the reason as their error."""
    errors = {each.files[at]: why for each in edges for at, why in each.failed.items() if at != NO_UNIT}
    return tuple(
        dataclasses.replace(file, error=f"not linked: {errors[at]}") if at in errors else file
        for at, file in enumerate(files)
    )


def _aliases(path: str, links: Sequence[Link]) -> tuple[str, ...]:
    """Return the other paths of a file, through symbolic links."""
    return tuple(alias for link in links if (alias := link.alias(path)))


def _differs(scan: Scan, kept: Mapping[str, KeptFile]) -> bool:
    """Return whether files of a tree were added, removed or changed compared with the published ones."""
    return len(scan.files) != len(kept) or any(
        file.path not in kept or kept[file.path].sha256 != file.sha256 for file in scan.files
    )
