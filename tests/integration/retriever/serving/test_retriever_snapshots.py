"""Snapshots on disk: which one is served, what is refused, and what happens to damaged ones."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common.core.errors import AppError
from retriever.adapters.core.lexical import SqliteLexical
from retriever.domain.errors import (
    IndexNotReady,
    RepositoryNotFound,
    SnapshotNotFound,
    SnapshotUnsupported,
)
from retriever.domain.values import EdgeKind, FactKind, LeftOut, Tier
from tests.fakes.served_snapshots import ONE, Served, flip, one_published
from tests.fakes.snapshot_builder import ERROR_STRING, RAISES, SnapshotBuilder

if TYPE_CHECKING:
    from retriever.adapters.core.database import Database


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one published snapshot of the repository "shop"."""
    return one_published(tmp_path)


async def test_a_new_set_is_served_at_once_and_the_pinned_one_stays(data: Path) -> None:
    """CURRENT decides for calls without a snapshot; a pinned snapshot is served as long as it is there."""
    served = Served(data)
    first = (data / "repositories/shop/CURRENT").read_text().strip()
    assert await served.paths() == ("one.py",)

    SnapshotBuilder().python("two.py", ONE).publish(data, "shop", publish_time="2026-01-02T00:00:00Z")

    assert await served.paths() == ("two.py",)
    assert await served.paths(snapshot_id=first) == ("one.py",)


async def test_a_call_that_is_cancelled_while_its_snapshot_is_opened_holds_nothing(data: Path) -> None:
    """The thread that opens it goes on; nobody reads it then, so it may be closed and swept."""
    opening, may_open = threading.Event(), threading.Event()

    def slowly(database: Database) -> SqliteLexical:
        opening.set()
        may_open.wait()
        return SqliteLexical(database)

    served = Served(data, lexical=slowly)
    snapshot_id = (data / "repositories/shop/CURRENT").read_text().strip()
    call = asyncio.create_task(served.paths())
    await asyncio.to_thread(opening.wait)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    read_meanwhile = served.store.drop("shop", snapshot_id)
    may_open.set()
    async with asyncio.timeout(30):
        while not served.store.drop("shop", snapshot_id):  # noqa: ASYNC110 - it is let go in a thread
            await asyncio.sleep(0.01)

    assert not read_meanwhile


@pytest.mark.parametrize("name", ["nothing", "../shop", "/etc", "", ".", "a/b", "shop\0", "\u202eshop"])
async def test_an_unknown_repository_says_what_to_do(data: Path, name: str) -> None:
    """Names that could leave the folder are as unknown as names that are not there."""
    with pytest.raises(RepositoryNotFound, match="index it first"):
        await Served(data).paths(name)


async def test_a_repository_without_a_snapshot_is_not_ready(data: Path) -> None:
    """Its first job may still run."""
    (data / "repositories/new").mkdir()

    with pytest.raises(IndexNotReady, match="wait for its index job"):
        await Served(data).paths("new")


@pytest.mark.parametrize("snapshot_id", ["0" * 64, "short", "../../x", "A" * 64, "a\0b", "a" * 1_000_000])
async def test_a_snapshot_that_is_not_there_is_not_found(data: Path, snapshot_id: str) -> None:
    """A pinned snapshot that was collected, and an identity that is none; no lease is written of either."""
    with pytest.raises(SnapshotNotFound, match="leave it empty"):
        await Served(data).paths(snapshot_id=snapshot_id)

    leases = await asyncio.to_thread(lambda: [*data.rglob("leases/*")])
    assert leases == []


async def test_another_format_is_refused(tmp_path: Path) -> None:
    """A reader of version 2 knows 1 and 2."""
    SnapshotBuilder(schema_version=3).python("one.py", ONE).publish(tmp_path, "shop")
    SnapshotBuilder(schema_version=0).python("one.py", ONE).publish(tmp_path, "ancient")
    served = Served(tmp_path)

    with pytest.raises(SnapshotUnsupported, match="schema version 3"):
        await served.paths()
    with pytest.raises(SnapshotUnsupported, match="schema version 0"):
        await served.paths("ancient")


async def test_the_format_before_serves_without_values(tmp_path: Path) -> None:
    """What facts that has are read."""
    older = SnapshotBuilder(schema_version=1).python("one.py", ONE)
    older.fact("one.py::", ERROR_STRING, "out of coffee").publish(tmp_path, "shop")

    async with Served(tmp_path).store.open("shop", "") as snapshot:
        assert [fact.value for fact, _ in snapshot.facts.messages(["coffee"], 1)] == ["out of coffee"]
        assert not snapshot.values.names()
        assert not snapshot.values.of_kind(FactKind.ENVIRONMENT)
        assert not (*snapshot.values.in_files(["one.py"]), *snapshot.values.named("LIMIT"))


async def test_the_previous_snapshot_serves_for_one_of_another_format(data: Path) -> None:
    """An indexer of the next release was upgraded first, or was there: nobody is refused until this one follows."""
    later = SnapshotBuilder(schema_version=3).python("two.py", ONE)
    named = later.publish(data, "shop", publish_time="2026-01-02T00:00:00Z")
    served = Served(data)

    async with served.store.open("shop", "") as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["one.py"]
        assert snapshot.notes == (
            f"snapshot {named[:12]}: of a format that is not known here, an earlier one was read",
        )
    with pytest.raises(SnapshotUnsupported):
        await served.paths(snapshot_id=named)


async def test_findings_are_read_and_a_damaged_layer_is_left_out(tmp_path: Path) -> None:
    """Gravest first; without the layer, or with a damaged one, the core still serves."""
    place = {"path": "one.py", "start_line": 2, "end_line": 2, "tool": "t", "message": "m", "symbol": None}
    findings = [
        {**place, "severity": "low", "category": "maintainability", "rule": "X1"},
        {**place, "severity": "critical", "category": "security", "rule": "S1"},
        {**place, "severity": "critical", "category": "correctness", "rule": "B1"},
    ]
    SnapshotBuilder().python("one.py", ONE).publish(tmp_path, "shop", findings=findings)

    async with Served(tmp_path).store.open("shop", "") as snapshot:
        assert snapshot.findings is not None
        assert [finding.rule for finding in snapshot.findings.under("one", 5)] == ["B1", "S1", "X1"]
        assert snapshot.info.layers == ("core", "findings")

    flip(next((tmp_path / "repositories/shop/layers").glob("findings-*/findings.jsonl")), 3)
    async with Served(tmp_path).store.open("shop", "") as snapshot:
        assert snapshot.findings is None
        assert snapshot.info.layers == ("core",)


async def test_precise_edges_are_read_instead_of_the_linkers(tmp_path: Path) -> None:
    """Walks, degrees and external names are those of the layer; a damaged one leaves those of the core."""
    linker = SnapshotBuilder().python("one.py", ONE).calls("one.py::one", "guessed.name")
    precise = SnapshotBuilder().python("one.py", ONE).calls("one.py::one", "one.py::two", tier=Tier.PRECISE)
    linker.publish(tmp_path, "shop", precise=precise)

    async with Served(tmp_path).store.open("shop", "") as snapshot:
        one, two = (snapshot.symbols.named(name)[-1].id for name in ("one", "two"))
        (edge,) = snapshot.graph.outgoing([one], [EdgeKind.CALL])
        assert (edge.target_id, edge.tier) == (two, Tier.PRECISE)
        assert snapshot.graph.incoming([two], [EdgeKind.CALL], min_confidence=0.55) == (edge,)
        assert snapshot.graph.fan_in([two]) == {two: 1}
        assert snapshot.structure.external_names() == frozenset()
        assert snapshot.info.layers == ("core", "precise")

    flip(next((tmp_path / "repositories/shop/layers").glob("precise-*/edges.db")), 100)
    async with Served(tmp_path).store.open("shop", "") as snapshot:
        assert [edge.target_name for edge in snapshot.graph.outgoing([one], [EdgeKind.CALL])] == ["guessed.name"]
        assert snapshot.info.layers == ("core",)


async def test_a_snapshot_that_is_read_is_leased(data: Path) -> None:
    """The indexer sees who reads what, and the lease is renewed when a third of it is over, not before."""
    served = Served(data)
    await served.paths()
    (lease,) = (data / "repositories/shop/leases").glob("*.json")
    written = json.loads(lease.read_text())

    assert written == {"snapshot_id": written["snapshot_id"], "expires": "2026-01-01T00:10:00Z", "seconds": 600}
    lease.unlink()
    served.clock.advance(199)
    await served.paths()
    assert not lease.exists()
    served.clock.advance(2)
    await served.paths()
    assert json.loads(lease.read_text())["expires"] == "2026-01-01T00:13:21Z"


async def test_a_data_folder_that_cannot_be_written_to_costs_the_lease_only(data: Path) -> None:
    """Serving goes on."""
    (data / "repositories/shop/leases").write_text("no folder")

    assert await Served(data).paths() == ("one.py",)


async def test_only_so_many_idle_snapshots_stay_open(tmp_path: Path) -> None:
    """The least recently used one is closed; it opens again when it is asked for."""
    for name in ("a", "b", "c"):
        SnapshotBuilder().python(f"{name}.py", ONE).publish(tmp_path, name)
    served = Served(tmp_path, keep_open=2)
    kept = None
    async with served.store.open("a", "") as snapshot:
        kept = snapshot
        await served.paths("b")
        await served.paths("c")
        assert len(kept.symbols.in_file("a.py")) == 3

    with pytest.raises(sqlite3.ProgrammingError):
        await _closed_symbols(served, kept)
    assert await served.paths("a") == ("a.py",)


async def test_a_removed_repository_is_closed_once_nobody_reads_it(data: Path) -> None:
    """Who is reading reads on; what nobody reads is closed, so that its disk space is given back."""
    served = Served(data)
    now = served.clock.now()
    async with served.store.open("shop", "") as snapshot:
        await served.store.forget_repository("shop", now)
        read = len(snapshot.symbols.in_file("one.py"))
    await served.store.forget_repository("shop", now)

    assert read == 3
    with pytest.raises(sqlite3.ProgrammingError):
        snapshot.symbols.named("one")
    assert await served.paths() == ("one.py",)


async def _closed_symbols(served: Served, kept: object) -> None:
    from retriever.ports import Snapshot

    assert isinstance(kept, Snapshot)
    for name in ("b", "c"):
        await served.paths(name)
    kept.symbols.named("one")


async def test_a_commit_names_its_snapshot(tmp_path: Path) -> None:
    """A citation can be followed to a commit that was indexed."""
    first = SnapshotBuilder(commit="aaa").python("one.py", ONE).publish(tmp_path, "shop")
    SnapshotBuilder(commit="bbb").python("two.py", ONE).publish(tmp_path, "shop")
    store = Served(tmp_path).store

    assert await store.at_revision("shop", "aaa") == first
    assert await store.at_revision("shop", "") == ""
    with pytest.raises(AppError, match="no snapshot 'ccc'"):
        await store.at_revision("shop", "ccc")


async def test_a_commit_means_its_clean_snapshot(tmp_path: Path) -> None:
    """A working tree that was edited after the commit is another source, however much later it was indexed."""
    clean = SnapshotBuilder(commit="aaa").python("one.py", ONE).publish(tmp_path, "shop", publish_time="2026-01-01")
    edited = SnapshotBuilder(commit="aaa", dirty=True).python("two.py", ONE)
    edited.publish(tmp_path, "shop", publish_time="2026-01-02")

    assert await Served(tmp_path).store.at_revision("shop", "aaa") == clean


async def test_the_readers_read_what_was_written(tmp_path: Path) -> None:
    """Files, symbols, edges, facts, documents, history and coverage come back as the format says."""
    builder = SnapshotBuilder().python("src/one.py", ONE).python("src/two.py", "class A:\n    def m(self): ...\n")
    builder.calls("src/one.py::one", "src/one.py::two", line=2).calls("src/one.py::two", "requests.get", line=6)
    builder.fact("src/one.py::two", RAISES, "errors.KeyError", line=6)
    builder.fact("src/one.py::two", ERROR_STRING, "no such key", line=6)
    builder.document("README.md", "Shop", "A shop sells things.", lines=(1, 3))
    builder.co_changed("src/one.py", "src/two.py", 4).skipped("vendor/x.py", 7)
    builder.publish(tmp_path, "shop")

    async with Served(tmp_path).store.open("shop", "") as snapshot:
        one, two = snapshot.symbols.named("ONE")[0], snapshot.symbols.named("two")[0]
        assert (one.qualified_name, one.span.start_line, one.span.end_line, one.dotted) == ("one", 1, 2, "src.one.one")
        assert [each.name for each in snapshot.symbols.get((two.id, 999, one.id))] == ["two", "one"]
        assert [edge.target_id for edge in snapshot.graph.outgoing((one.id,), (EdgeKind.CALL,))] == [two.id]
        assert [edge.source_id for edge in snapshot.graph.incoming((two.id,), (EdgeKind.CALL,))] == [one.id]
        assert (snapshot.graph.fan_in((two.id,)), snapshot.graph.fan_out((two.id,))) == ({two.id: 1}, {})
        assert snapshot.structure.external_names() == {"requests.get"}
        assert [fact.symbol_id for fact in snapshot.facts.with_value(FactKind.RAISES, "KeyError")] == [two.id]
        assert snapshot.facts.with_value(FactKind.RAISES, "Error") == ()
        assert [fact.value for fact, _ in snapshot.facts.messages(("such", 'ke"y', "OR"), 5)] == ["no such key"]
        assert [page.title for page, _ in snapshot.documents.search(("sells", '"'), 5)] == ["Shop"]
        assert [page.title for page in snapshot.documents.at(("README.md",))] == ["Shop"]
        assert snapshot.history.co_changed("src/one.py", 3) == (("src/two.py", 4),)
        assert snapshot.coverage.left_out() == (LeftOut("vendor/x.py", 7, is_read=True),)
        assert snapshot.files.text("src/one.py") == ONE
        assert snapshot.files.text("gone.py") == ""
        assert [file.path for file in snapshot.files.with_stem("two")] == ["src/two.py"]
