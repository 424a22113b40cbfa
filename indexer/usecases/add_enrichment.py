"""Lets a model describe files of a snapshot that serves already, and publishes a new set over the same core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from common.core.contract.snapshot import LayerKind
from common.core.errors import ModelUnavailable
from indexer.domain.jobs import Phase, Published
from indexer.usecases.indexing.current_set import current_over
from indexer.usecases.jobs.phases import Phases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from common.core.clock import Clock
    from indexer.domain.snapshots.snapshot import Layer, SnapshotSet
    from indexer.domain.text.enrichment import Described, EnrichmentLimits, FileNote, FileToDescribe
    from indexer.ports import Scratch, SnapshotStore, WorkSink


class FileDescriber(Protocol):
    """Describes the purpose of files."""

    @property
    def model(self) -> str:
        """Return the name of the describing model."""

    @property
    def version(self) -> str:
        """Return the version of all that a note depends on other than the file, such as model and prompt."""

    def describe(self, file: FileToDescribe) -> Described:
        """Ask the model to describe a file; blocks for seconds. Raises ModelUnavailable."""


class NoteArchive(Protocol):
    """Keeps notes by the keys of their files."""

    def get(self, keys: Sequence[str]) -> Mapping[str, FileNote]:
        """Return the stored notes of these keys."""

    def put(self, key: str, note: FileNote) -> None:
        """Keep a note. Raises StorageFull."""


class CorePages(Protocol):
    """Reads from a core layer the files to describe."""

    def files(self, core: Path, most: int) -> Sequence[FileToDescribe]:
        """Return `most` files of code.db in the folder `core` that are not tests, the most used first."""


class EnrichmentLayer(Protocol):
    """The enrichment layer of a snapshot."""

    def write(self, notes: Mapping[str, FileNote], left_out: int, model: str, folder: Path) -> Layer:
        """Write notes by path, and the number `left_out` of files without one (bound, fault), into an empty folder."""

    def left_out(self, folder: Path) -> int:
        """Return the number of files without a note that a written layer records."""


@dataclass(frozen=True, slots=True)
class AddEnrichment:
    """
    Adds descriptions of files by a model to snapshots.

    Args:
        on_fault: Called with the reason when the model fails; the job then continues without asking it again.
    """

    describer: FileDescriber
    notes: NoteArchive
    pages: CorePages
    layers: EnrichmentLayer
    store: SnapshotStore
    scratch: Scratch
    clock: Clock
    limits: EnrichmentLimits
    on_fault: Callable[[str], None]

    def run(self, snapshot: SnapshotSet, sink: WorkSink) -> SnapshotSet:
        """
        Return the set with notes, or the given one if it has all of them, there are none, or its core was replaced.

        Blocks for minutes; the repository is locked for the publication alone. Raises StorageFull.
        """
        there = snapshot.layer(LayerKind.ENRICHMENT)
        if there and not self.layers.left_out(self.store.layer_folder(snapshot.repository, there)):
            return snapshot
        phases = Phases(sink, self.clock, snapshot.counts)
        files = self.pages.files(self.store.layer_folder(snapshot.repository, snapshot.core), self.limits.files)
        phases.begin(Phase.DESCRIBING, len(files))
        notes = self._described(files, phases)
        if not notes:
            return snapshot
        with self.scratch.folder() as folder:
            layer = self.layers.write(notes, len(files) - len(notes), self.describer.model, folder)
            with self.store.staging(snapshot.repository):
                current = current_over(self.store, snapshot)
                if current is None:
                    return snapshot
                with_notes = current.with_layer(layer, current.counts, self.clock.now())
                published = self.store.publish(with_notes, {layer: folder})
        phases.end()
        sink.tell(Published(published.snapshot_id, unchanged=False, counts=published.counts))
        return published

    def _described(self, files: Sequence[FileToDescribe], phases: Phases) -> Mapping[str, FileNote]:
        version, limits = self.describer.version, self.limits
        known = self.notes.get([file.key(version) for file in files])
        notes: dict[str, FileNote] = {}
        deadline, tokens, asks = self.clock.monotonic() + limits.seconds, 0, True
        for file in files:
            note = known.get(file.key(version))
            if note is None and asks and tokens < limits.tokens and self.clock.monotonic() < deadline:
                try:
                    answer = self.describer.describe(file)
                except ModelUnavailable as error:
                    self.on_fault(error.message)
                    asks = False
                else:
                    note, tokens = answer.note, tokens + answer.tokens
                    if note is not None:
                        self.notes.put(file.key(version), note)
            if note is not None:
                notes[file.path] = note
            phases.advance()
        return notes
