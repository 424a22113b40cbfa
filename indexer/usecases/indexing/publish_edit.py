"""Publishes an edit of few files at once by patching the published core; all files are linked again afterwards."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.domain.provisional.edges import kept_edges
from indexer.domain.provisional.edit import CoreEdit, FileEdit, find_changes
from indexer.domain.provisional.files import compare_file
from indexer.domain.snapshots.core import FileMetadata
from indexer.domain.snapshots.snapshot import SnapshotSet
from indexer.domain.source.identity import source_identity
from indexer.domain.text.metadata import domain_of
from indexer.domain.tree import FAILED
from indexer.usecases.indexing.link_edit import EditLinker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from common.core.clock import Clock
    from indexer.domain.model import EdgeRow, Tier
    from indexer.domain.parsing import PlacedFile
    from indexer.domain.provisional.edit import Changes
    from indexer.domain.provisional.published import PublishedFile
    from indexer.domain.snapshots.core import CoreSummary, IndexedFile
    from indexer.domain.snapshots.snapshot import Counts
    from indexer.domain.source.scan import Scan
    from indexer.domain.tree import Skipped
    from indexer.ports import CorePatcher, Linker, PublishedCore, SnapshotStore
    from indexer.usecases.indexing.read_facts import FactsReader
    from indexer.usecases.jobs.phases import Phases

    Cut = Mapping[str, tuple[Tier, ...]]


@dataclass(frozen=True, slots=True)
class EditPublisher:
    """
    Publishes provisional snapshots.

    Args:
        identity: Versions and settings that change the result, as for a full index.
        max_files: If more files were edited since all files were linked, no provisional snapshot is published; 0
            publishes none at all.
    """

    facts: FactsReader
    linkers: Mapping[str, Linker]
    patcher: CorePatcher
    store: SnapshotStore
    clock: Clock
    identity: Mapping[str, str]
    max_files: int

    def publish(
        self, base: SnapshotSet, core: PublishedCore, scan: Scan, placed: Sequence[PlacedFile], phases: Phases
    ) -> SnapshotSet | None:
        """
        Patch an edit into a copy of the published core and publish the copy. Return None if nothing or too much
        changed, if versions or settings changed since the core was made, or if the linker failed on the edit.

        Args:
            base: The current set; `core` is its core.
            scan: The present state of the tree, with its files.

        Raises CoreDamaged, StorageFull.
        """
        files = core.files()
        changes = find_changes(placed, files)
        edited = core.edited() | changes.paths
        if not changes.paths or len(edited) > self.max_files:
            return None
        with self.store.staging(base.repository) as staging, ThreadPoolExecutor(2) as beside:
            folder = staging / LayerKind.CORE
            folder.mkdir()
            published = self.store.layer_folder(base.repository, base.core)
            known = [files[path].id for path in sorted(changes.paths & files.keys())]
            copying = beside.submit(self.patcher.copy, published, folder, known)
            fitting = beside.submit(self._fits, base, core.skipped(), files, scan.identity(self.identity))
            identifying = beside.submit(source_identity, scan.files, scan.skipped, scan.identity(self.identity))
            after = self.facts.read(changes.changed, phases)
            if not fitting.result():
                return None
            found = self._edits(base, core, changes, after, placed)
            if found is None:
                return None
            edits, cut = found
            identity = identifying.result()
            edit = CoreEdit(
                digest=_digest(base.core.digest, identity),
                source_identity=identity,
                revision=scan.revision,
                skipped=_skipped(scan, core.skipped(), changes, after),
                edited=edited,
                files=edits,
                cut=tuple(cut),
            )
            core.require_intact()
            terms = copying.result()
            summary = self.patcher.patch(folder, edit, terms)
            phases.counts = scan.counts(summary, edit.skipped, dataclasses.replace(phases.counts, cut=cut))
            return self.store.publish(
                self._snapshot(base.repository, edit, summary, phases.counts), {summary.layer: folder}
            )

    def _snapshot(self, repository: str, edit: CoreEdit, summary: CoreSummary, counts: Counts) -> SnapshotSet:
        return SnapshotSet(
            repository=repository,
            source_identity=edit.source_identity,
            commit=edit.revision.commit,
            dirty=edit.revision.dirty,
            publish_time=self.clock.now(),
            counts=counts,
            layers=(summary.layer,),
            provisional=True,
        )

    def _fits(
        self,
        base: SnapshotSet,
        skipped: Sequence[Skipped],
        files: Mapping[str, PublishedFile],
        settings: Mapping[str, str],
    ) -> bool:
        """Return whether the core was made with these versions, settings and links, by computing its identity again."""
        left_out = [each for each in skipped if each.reason not in FAILED]
        return source_identity((each.kept for each in files.values()), left_out, settings) == base.source_identity

    def _edits(
        self,
        base: SnapshotSet,
        core: PublishedCore,
        changes: Changes,
        after: Sequence[IndexedFile],
        placed: Sequence[PlacedFile],
    ) -> tuple[tuple[FileEdit, ...], Cut] | None:
        published = core.files()
        last_file, last_symbol = core.last_ids()
        free_files, free_symbols = itertools.count(last_file + 1), itertools.count(last_symbol + 1)
        files = []
        for path, now in (
            *((each.source.path, each) for each in after),
            *((each.kept.path, None) for each in changes.gone),
        ):
            was = published.get(path)
            if was is None:
                files.append(compare_file(next(free_files), path, (), (), "", now, free_symbols))
            else:
                symbols, edges = core.symbols(was.id), core.edges(was.id)
                files.append(compare_file(was.id, path, symbols, edges, was.kept.text, now, free_symbols))
        linked = EditLinker(self.linkers, self.facts, placed, core, published).link(files)
        if linked.failed:
            return None
        gone = {symbol for each in files for symbol in each.gone}
        fresh = linked.edges
        edits = tuple(
            FileEdit(
                file_id=each.file_id,
                path=each.path,
                after=each.after,
                symbol_ids=each.ids,
                gone=each.gone,
                edges=_in_order((*kept_edges(each.edges, each.before, each.same, gone), *fresh.get(each.path, ()))),
                metadata=_metadata(core, published, each.path),
            )
            for each in files
        )
        # Edges of unedited symbols are taken from the base, so the tiers that lacked edges there lack them here, too.
        return edits, _joined(base.counts.cut, linked.cut)


def _joined(one: Cut, other: Cut) -> Cut:
    languages = sorted(one.keys() | other.keys())
    return {each: tuple(sorted({*one.get(each, ()), *other.get(each, ())})) for each in languages}


def _in_order(edges: Sequence[EdgeRow]) -> tuple[EdgeRow, ...]:
    return tuple(sorted(edges, key=lambda each: (each.source_id, each.line, each.kind, each.tier, each.target_name)))


def _metadata(core: PublishedCore, published: Mapping[str, PublishedFile], path: str) -> FileMetadata:
    """Return the published metadata of a file; of a new file, only the domain, taken from a file of its folder."""
    if path in published:
        return core.metadata(published[path].id)
    folder = path.rpartition("/")[0]
    beside = next((each for other, each in published.items() if other.rpartition("/")[0] == folder), None)
    return FileMetadata(core.metadata(beside.id).domain if beside else domain_of(path))


def _skipped(
    scan: Scan, before: Sequence[Skipped], changes: Changes, after: Sequence[IndexedFile]
) -> tuple[Skipped, ...]:
    """Return the skipped files: those of the scan, and those that failed to parse now, or earlier and are unchanged."""
    still = (each for each in before if each.reason in FAILED and each.path not in changes.paths)
    failed = (failure for file in after if (failure := file.failure))
    return tuple(sorted((*scan.skipped, *still, *failed), key=lambda each: each.path))


def _digest(base: str, identity: str) -> str:
    """Return the digest of a provisional core, from base and source identity: its content depends on both."""
    return hashlib.sha256(f"provisional\n{base}\n{identity}\n".encode()).hexdigest()
