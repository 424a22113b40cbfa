"""What a model's words become, and when it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from common.core.errors import ModelUnavailable
from indexer.domain.jobs import Phase, Progressed, Published, WorkEvent
from indexer.domain.snapshots.snapshot import Counts, Layer, SnapshotSet
from indexer.domain.text.enrichment import Described, EnrichmentLimits, FileNote, FileToDescribe, read_note
from indexer.usecases.add_enrichment import AddEnrichment
from tests.fakes.clock import FakeClock

CORE = Layer("core", "c" * 64, 1)
BARE = SnapshotSet("shop", "id", "", False, datetime(2026, 1, 1, tzinfo=UTC), Counts(files=4), (CORE,))
FILES = tuple(FileToDescribe(f"{name}.py", f"page of {name}") for name in "abcd")


@dataclass
class Outside:
    """Everything that the use case needs, in memory; remembers whom it asked about."""

    clock: FakeClock = field(default_factory=FakeClock)
    asked: list[str] = field(default_factory=list)
    kept: dict[str, FileNote] = field(default_factory=dict)
    current_set: SnapshotSet = BARE
    written: dict[str, FileNote] = field(default_factory=dict)
    missing: int = 0
    faults: list[str] = field(default_factory=list)
    fails_from: int = 99
    seconds: float = 1.0
    events: list[WorkEvent] = field(default_factory=list)
    model: str = "small"
    version: str = "small 1"

    def describe(self, file: FileToDescribe) -> Described:
        """Say something, in time."""
        self.asked.append(file.path)
        self.clock.advance(self.seconds)
        if len(self.asked) >= self.fails_from:
            raise ModelUnavailable("no answer")
        return Described(None if file.path == "d.py" else FileNote(f"Does {file.path}.", "", ()), 10)

    def get(self, keys: Sequence[str]) -> Mapping[str, FileNote]:
        """Return kept notes."""
        return {key: self.kept[key] for key in keys if key in self.kept}

    def put(self, key: str, note: FileNote) -> None:
        """Keep a note."""
        self.kept[key] = note

    def files(self, core: Path, most: int) -> Sequence[FileToDescribe]:
        """Return files."""
        return FILES[:most]

    def write(self, notes: Mapping[str, FileNote], left_out: int, model: str, folder: Path) -> Layer:
        """Remember what is written."""
        self.written, self.missing = dict(notes), left_out
        return Layer("enrichment", f"{len(notes):064x}", 1, model)

    def left_out(self, folder: Path) -> int:
        """Return what was left out."""
        return self.missing

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield some folder."""
        yield Path("x")

    @contextmanager
    def staging(self, repository: str) -> Iterator[Path]:
        """Yield some folder."""
        yield Path("x")

    def layer_folder(self, repository: str, layer: Layer) -> Path:
        """Return some folder."""
        return Path("x")

    def current(self, repository: str) -> SnapshotSet:
        """Return what is served."""
        return self.current_set

    def publish(self, snapshot: SnapshotSet, staged: Mapping[Layer, Path]) -> SnapshotSet:
        """Serve it."""
        self.current_set = snapshot
        return snapshot

    def tell(self, event: WorkEvent) -> None:
        """Remember an event."""
        self.events.append(event)

    def run(self, files: int = 9, tokens: int = 999, seconds: float = 999.0) -> SnapshotSet:
        """Run over what is served."""
        limits = EnrichmentLimits(files, tokens, seconds)
        usecase = AddEnrichment(self, self, self, self, self, self, self.clock, limits, self.faults.append)  # type: ignore[arg-type]  # it has what is called
        return usecase.run(self.current_set, self)


def test_notes_are_published_over_the_same_core() -> None:
    """A file of which the model says nothing sensible is left out; the phase is told; the core stays."""
    outside = Outside()
    full = outside.run()

    assert sorted(outside.written) == ["a.py", "b.py", "c.py"]
    assert outside.missing == 1
    assert [layer.kind for layer in full.layers] == ["core", "enrichment"]
    assert outside.events[-1] == Published(full.snapshot_id, unchanged=False, counts=full.counts)
    assert {each.progress.phase for each in outside.events if isinstance(each, Progressed)} == {Phase.DESCRIBING}


@pytest.mark.parametrize(
    ("limits", "asked"), [({"files": 2}, 2), ({"tokens": 15}, 2), ({"seconds": 2.5}, 3), ({"tokens": 10}, 1)]
)
def test_each_bound_holds(limits: dict[str, int], asked: int) -> None:
    """Files, tokens, time: whichever is reached first."""
    outside = Outside()
    outside.run(**limits)

    assert len(outside.asked) == asked


def test_what_was_left_out_is_asked_by_the_next_run_and_nothing_twice() -> None:
    """A layer that has all is left alone."""
    outside = Outside()
    outside.run(files=3, tokens=10)
    outside.run(files=3)
    done = outside.run(files=3)

    assert outside.asked == ["a.py", "b.py", "c.py"]
    assert outside.current_set == done
    assert (len(outside.written), outside.missing) == (3, 0)


def test_a_fault_ends_the_asking_and_nothing_else() -> None:
    """What was said before is published; the fault is told once."""
    outside = Outside(fails_from=2)
    outside.run()

    assert outside.faults == ["no answer"]
    assert list(outside.written) == ["a.py"]
    assert outside.asked == ["a.py", "b.py"]


def test_without_a_single_note_there_is_no_layer() -> None:
    """The snapshot stays what it was."""
    outside = Outside(fails_from=1)

    assert outside.run() == BARE


def test_notes_on_an_overtaken_core_are_dropped() -> None:
    """If another core is current by now, it stays."""
    outside = Outside()
    other = SnapshotSet("shop", "id2", "", False, BARE.publish_time, Counts(), (Layer("core", "d" * 64, 1),))
    outside.current = lambda _: other  # type: ignore[method-assign, assignment]  # overtaken meanwhile

    assert outside.run() == BARE
    assert outside.current_set == BARE


def test_a_models_words_are_bounded_and_visible() -> None:
    """Lines are joined, invisible characters go, concepts are few, short, lower and each once."""
    note = read_note(
        {
            "purpose": "Retries\nrequests\u200b. " + "x" * 300,
            "domain": "\u202enet",
            "concepts": ["Retry", "retry", 7, "", *(f"c{number}" for number in range(20))],
        }
    )

    assert note is not None
    assert note.purpose.startswith("Retries requests . x")
    assert len(note.purpose) == 200
    assert note.domain == "net"
    assert note.concepts == ("retry", "c0", "c1", "c2", "c3", "c4", "c5", "c6")


@pytest.mark.parametrize("said", [{}, {"purpose": ""}, {"purpose": 5, "concepts": "x"}, {"purpose": "\u200b"}])
def test_words_without_purpose_are_no_note(said: dict[str, object]) -> None:
    """They make no sense, and are asked again another time."""
    assert read_note(said) is None
