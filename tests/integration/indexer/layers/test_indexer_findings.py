"""Findings come later: a new set over the same core, whatever becomes of single analyzers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from common.core.clock import SystemClock
from common.core.contract.snapshot import Severity
from indexer.adapters.findings.archive import SqliteFindingsArchive
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.findings.layer import JsonFindingsLayer
from indexer.adapters.findings.ruff import RuffAnalyzer
from indexer.adapters.findings.tool import run_module
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.domain.errors import AnalyzerFailed
from indexer.domain.findings.finding import Analysis, Category, Finding
from indexer.domain.jobs import Phase, Progressed, Published
from indexer.domain.snapshots.snapshot import SnapshotSet
from indexer.usecases.findings.add import AddFindings
from indexer.usecases.findings.publish import FindingsPublisher
from tests.integration.indexer.indexing import Indexing, Listener, write_tree


class ScriptedAnalyzer:
    """Finds one thing, remembers its rooms, and may do something or fail before."""

    def __init__(self, name: str = "scripted", version: str = "1") -> None:
        self.name = name
        self.version = version
        self.rooms: list[Path] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def analyze(self, core: Path, room: Path) -> Sequence[Finding]:
        """Find something in a file."""
        assert (core / "code.db").exists()
        assert list(room.iterdir()) == []
        self.rooms.append(room)
        self.meanwhile()
        return [Finding(self.name, "r", Severity.LOW, Category.SECURITY, "m", "shop/cart.py", 12, 99)]


def add(indexing: Indexing, snapshot: SnapshotSet, *analyzers: ScriptedAnalyzer) -> tuple[SnapshotSet, Listener]:
    """Run analyzers over a set."""
    store, clock, listener = open_store(indexing.settings), SystemClock(), Listener()
    scratch = FolderScratch(indexing.data / "indexer/scratch")
    with closing(SqliteFindingsArchive(indexing.data / "indexer/findings.db")) as archive:
        publisher = FindingsPublisher(store, JsonFindingsLayer(), SqliteCoreCode(), archive, clock)
        adding = AddFindings(analyzers, publisher, store, scratch, clock, on_failure=lambda *_: None)
        return adding.run(snapshot, listener), listener


def layer_of(indexing: Indexing, snapshot: SnapshotSet) -> Analysis:
    """Return what a set's layer holds."""
    layer = snapshot.layer("findings")
    assert layer is not None
    return JsonFindingsLayer().read(open_store(indexing.settings).layer_folder("shop", layer))


def test_findings_are_published_over_the_same_core(indexing: Indexing, shop: Path) -> None:
    """The new set has both layers; the job is told; lines are within the file; room is given back."""
    bare = indexing.run(shop).snapshot
    full, listener = add(indexing, bare, ScriptedAnalyzer())

    (found,) = layer_of(indexing, full).findings
    assert indexing.current() == full
    assert [layer.kind for layer in full.layers] == ["core", "findings"]
    assert full.core == bare.core
    assert (full.counts.findings, full.counts.files) == (1, 6)
    assert (found.start_line, found.end_line) == (12, 14)
    assert found.symbol is not None
    assert found.symbol.qualified_name == "Cart.add"
    assert listener.events[-1] == Published(full.snapshot_id, unchanged=False, counts=full.counts)
    assert {each.progress.phase for each in listener.events if isinstance(each, Progressed)} == {Phase.ANALYZING}
    assert list((indexing.data / "indexer/scratch").iterdir()) == []


def test_equal_findings_have_an_equal_digest(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """Two data folders give the same set."""
    other = Indexing(tmp_path / "other")
    first, _ = add(indexing, indexing.run(shop).snapshot, ScriptedAnalyzer())
    second, _ = add(other, other.run(shop).snapshot, ScriptedAnalyzer())

    assert first.snapshot_id == second.snapshot_id


def test_analyzers_run_again_when_they_changed(indexing: Indexing, shop: Path) -> None:
    """The same analyzers do nothing twice; another version or set of them looks anew."""
    analyzer = ScriptedAnalyzer()
    full, _ = add(indexing, indexing.run(shop).snapshot, analyzer)
    again, _ = add(indexing, full, analyzer)
    changed, _ = add(indexing, full, ScriptedAnalyzer(version="2"))
    none, _ = add(indexing, changed)

    assert again == full
    assert len(analyzer.rooms) == 1
    assert layer_of(indexing, changed).analyzers == {"scripted": "2"}
    assert layer_of(indexing, none) == Analysis()


def test_a_failed_analyzer_is_named_and_tried_again(indexing: Indexing, shop: Path) -> None:
    """The findings of the others are published; the next job gives it another chance."""
    good, bad = ScriptedAnalyzer("good"), ScriptedAnalyzer("bad")

    def fail() -> None:
        raise AnalyzerFailed("it broke")

    bad.meanwhile = fail
    partial, _ = add(indexing, indexing.run(shop).snapshot, good, bad)
    bad.meanwhile = lambda: None
    whole, _ = add(indexing, partial, good, bad)

    assert layer_of(indexing, partial).failed == {"bad": "it broke"}
    assert [each.tool for each in layer_of(indexing, partial).findings] == ["good"]
    assert [each.tool for each in layer_of(indexing, whole).findings] == ["bad", "good"]
    assert layer_of(indexing, whole).failed == {}


def test_findings_of_an_overtaken_core_are_dropped(indexing: Indexing, shop: Path) -> None:
    """If another core is published while analyzers run, that one stays current, without them."""
    bare = indexing.run(shop).snapshot
    analyzer = ScriptedAnalyzer()
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    analyzer.meanwhile = lambda: indexing.run(shop)
    returned, _ = add(indexing, bare, analyzer)

    assert returned == bare
    assert indexing.current().snapshot_id != bare.snapshot_id
    assert indexing.current().layer("findings") is None


def test_an_analyzer_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """After its time it is killed and said to have failed; so is one that ends badly, or cannot begin."""
    with pytest.raises(AnalyzerFailed, match=r"longer than 0\.2 s"):
        run_module("http.server", ("0",), tmp_path, tmp_path / "out", 0.2)
    with pytest.raises(AnalyzerFailed, match=r"ended with code 1: .*No module named"):
        run_module("no_such_module", (), tmp_path, tmp_path / "out", 30)
    with pytest.raises(AnalyzerFailed, match="could not be started: No such file"):
        run_module("http.server", (), tmp_path / "gone", tmp_path / "out", 30)


def test_wrong_rules_of_ruff_fail_by_name(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """A rule that ruff does not know ends with its own words."""
    indexing.run(shop)
    (tmp_path / "room").mkdir()

    with pytest.raises(AnalyzerFailed, match="NOSUCH1"):
        RuffAnalyzer(("NOSUCH1",), 30).analyze(indexing.core().parent, tmp_path / "room")
