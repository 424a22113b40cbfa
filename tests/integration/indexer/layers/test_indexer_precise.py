"""Indexes that scip-python and scip-typescript made, over snapshots of the same files and of changed ones."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from cgrag.scip.v1 import scip_pb2

from indexer.adapters.precise.scip_file import ScipFile
from indexer.domain.errors import IndexMalformed, StateForbids
from indexer.domain.precise.sites import PreciseOutcome, Refusal
from indexer.domain.snapshots.snapshot import SnapshotSet
from indexer.worker.precise import apply_import, precise_publisher
from tests.integration.indexer.indexing import Indexing, Listener, write_tree

FIXTURES = Path(__file__).parents[3] / "fixtures/scip"
CALL, IMPORT, INHERITS = 1, 2, 3
RESOLVED, EXTERNAL, UNRESOLVED = 1, 2, 3
PRECISE = 7
_EDGES = """
SELECT f.path, s.qualified_name, e.line, e.kind, e.target_name, e.tier, e.resolution
FROM {0}.edges e JOIN symbols s ON s.id = e.source_id JOIN files f ON f.id = s.file_id ORDER BY e.id
"""


def take(indexing: Indexing, index: Path) -> PreciseOutcome:
    """Import an index."""
    with apply_import(indexing.settings) as taking:
        return taking.run("shop", ScipFile(index))


def publish(indexing: Indexing, snapshot: SnapshotSet) -> tuple[SnapshotSet, Listener]:
    """Do what a job does after core is published."""
    listener = Listener()
    with precise_publisher(indexing.settings) as publisher:
        return publisher.run(snapshot, listener), listener


def edges(indexing: Indexing, path: str = "", *, precise: bool = True) -> list[tuple[Any, ...]]:
    """Return the edges of the current set: (source, line, kind, target, tier, resolution)."""
    core = indexing.core()
    with closing(sqlite3.connect(core)) as database:
        if precise:
            layer = indexing.current().layer("precise")
            assert layer is not None
            database.execute("ATTACH ? AS precise", (str(core.parents[1] / layer.folder / "edges.db"),))
        rows = database.execute(_EDGES.format("precise" if precise else "main")).fetchall()
    return [row[1:] for row in rows if path in ("", row[0])]


def calls(found: list[tuple[Any, ...]], source: str) -> set[tuple[str, bool]]:
    """Return what a symbol calls, and whether that is known precisely."""
    return {(row[3], row[4] == PRECISE) for row in found if row[0] == source and row[2] == CALL}


def test_an_index_of_scip_python_replaces_edges(indexing: Indexing, till: Path) -> None:
    """Methods of typed values, aliases, overloads and builtins are resolved; what a decorator runs stays known."""
    bare = indexing.run(till).snapshot
    outcome = take(indexing, till / "index.scip")

    full, found = indexing.current(), edges(indexing, "till/receipt.py")
    assert (outcome.documents, outcome.refused, outcome.snapshot_id) == (3, {}, full.snapshot_id)
    assert [layer.kind for layer in full.layers] == ["core", "precise"]
    assert full.core == bare.core
    assert full.counts.edges == len(edges(indexing))
    assert calls(found, "line") == {("builtins.str.upper", True), ("till.money.Money.text", True)}
    assert {("till.money.parse", True), ("till.receipt.total", True), ("builtins.print", True)} <= calls(
        found, "receipt"
    )
    assert ("till.money.logged.run", False) in calls(found, "receipt")
    assert ("till.money.doubled", False) in calls(found, "receipt")
    assert ("Discount", INHERITS, "till.money.Money", PRECISE) in {
        (row[0], *row[2:5]) for row in edges(indexing, "till/money.py")
    }
    assert not [row for row in edges(indexing) if row[5] == UNRESOLVED]
    assert [row for row in edges(indexing, precise=False) if row[5] == UNRESOLVED]


def test_an_index_of_scip_typescript_replaces_edges(indexing: Indexing) -> None:
    """Columns behind signs of two units fit, chains of calls over lines are one edge each, constructors are found."""
    indexing.run(FIXTURES / "typescript")
    outcome = take(indexing, FIXTURES / "typescript/index.scip")

    found = edges(indexing, "src/main.ts")
    assert (outcome.documents, outcome.refused) == (2, {})
    assert {("src.prices.Book.constructor", True), ("src.prices.twice", True), ("src.main.total", True)} <= calls(
        found, ""
    )
    assert {row[3] for row in found if row[1] in (14, 15) and row[5] == EXTERNAL} == {
        "typescript.Array.filter",
        "typescript.Array.forEach",
    }
    assert not [row for row in found if row[5] == UNRESOLVED]


def test_precise_edges_hold_while_a_file_is_what_it_was(indexing: Indexing, till: Path) -> None:
    """An edited file has the linker's edges again, its neighbour keeps the precise ones; undone, all are back."""
    indexing.run(till)
    take(indexing, till / "index.scip")
    before = edges(indexing)
    text = (till / "till/receipt.py").read_text("utf-8")
    write_tree(till, {"till/receipt.py": "# Edited.\n" + text})
    edited, listener = publish(indexing, indexing.run(till).snapshot)
    of_edited = edges(indexing, "till/receipt.py")
    of_other = edges(indexing, "till/money.py")
    write_tree(till, {"till/receipt.py": text})
    publish(indexing, indexing.run(till).snapshot)

    assert edited.layer("precise") is not None
    assert len(listener.events) == 1
    assert {row[4] for row in of_edited} & {PRECISE} == set()
    assert {row[4] for row in of_other} >= {PRECISE}
    assert edges(indexing) == before


def test_the_layer_is_that_of_a_fresh_index_with_the_same_imports(
    indexing: Indexing, till: Path, tmp_path: Path
) -> None:
    """Whatever came before: sets are equal by their ids."""
    indexing.run(till)
    take(indexing, till / "index.scip")
    write_tree(till, {"till/receipt.py": "def receipt():\n    return ''\n"})
    kept = publish(indexing, indexing.run(till).snapshot)[0]
    fresh = Indexing(tmp_path / "fresh")
    (fresh.data / "indexer").mkdir(parents=True)
    shutil.copy(indexing.data / "indexer/precise.db", fresh.data / "indexer/precise.db")

    assert publish(fresh, fresh.run(till).snapshot)[0].snapshot_id == kept.snapshot_id
    assert publish(indexing, kept) == (kept, publish(indexing, kept)[1])
    assert publish(indexing, kept)[1].events == []


def test_without_imports_there_is_no_layer(indexing: Indexing, till: Path) -> None:
    """A job of a repository that nothing was imported for has nothing to do."""
    bare = indexing.run(till).snapshot

    assert publish(indexing, bare)[0] == bare
    assert [layer.kind for layer in indexing.current().layers] == ["core"]


def test_the_same_index_again_changes_nothing(indexing: Indexing, till: Path) -> None:
    """The outcome is the same, with the same set."""
    indexing.run(till)

    assert take(indexing, till / "index.scip") == take(indexing, till / "index.scip")


def test_documents_that_do_not_fit_are_counted(indexing: Indexing, till: Path) -> None:
    """What fits is taken; paths that leave the root, other text, other languages and doubles are left out."""
    indexing.run(till)
    index = scip_pb2.Index()
    index.ParseFromString((till / "index.scip").read_bytes())
    money = next(each for each in index.documents if each.relative_path == "till/money.py")
    receipt = next(each for each in index.documents if each.relative_path == "till/receipt.py")
    for path in ("../money.py", "/srv/till/money.py", "till/gone.py"):
        index.documents.add().CopyFrom(money)
        index.documents[-1].relative_path = path
    index.documents.add().CopyFrom(money)
    receipt.ClearField("occurrences")
    receipt.occurrences.extend(money.occurrences)
    (till / "odd.scip").write_bytes(index.SerializeToString())
    outcome = take(indexing, till / "odd.scip")

    assert outcome.documents == 2
    assert outcome.refused == {
        Refusal.UNSAFE_PATH: 2,
        Refusal.NOT_INDEXED: 1,
        Refusal.DUPLICATE: 1,
        Refusal.OTHER_TEXT: 1,
    }


def test_an_index_that_fits_nothing_changes_nothing(indexing: Indexing, till: Path) -> None:
    """The error counts the reasons and says from what to make it."""
    bare = indexing.run(till).snapshot

    with pytest.raises(StateForbids, match=r"2 not in the snapshot.*from the indexed files"):
        take(indexing, FIXTURES / "typescript/index.scip")
    assert indexing.current() == bare


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"PK\x03\x04 no index",
        b"\x12\x80\x80\x80\x80\x04rest",  # a document of 1 GiB
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x12\x05\x12\xff\xff\xff\xff",  # an occurrence longer than its document
        b"\x0a",
        b"\x0b\x0c",
        b'{"metadata": {}}',
        "text".encode("utf-16"),
    ],
)
def test_what_is_no_index_is_refused(indexing: Indexing, till: Path, content: bytes) -> None:
    """Every kind of garbage has one kind of error, and nothing is published."""
    bare = indexing.run(till).snapshot
    (till / "bad.scip").write_bytes(content)

    with pytest.raises(IndexMalformed, match="is no SCIP index"):
        take(indexing, till / "bad.scip")
    assert indexing.current() == bare


def test_an_index_cut_anywhere_is_refused_or_a_part_of_itself(indexing: Indexing, till: Path) -> None:
    """No cut makes another error, and none makes edges that the whole index does not have."""
    indexing.run(till)
    whole = (till / "index.scip").read_bytes()
    take(indexing, till / "index.scip")
    full = edges(indexing)
    possible = {*full, *edges(indexing, precise=False)}
    for size in range(0, len(whole), 997):
        (till / "cut.scip").write_bytes(whole[:size])
        with suppress(IndexMalformed, StateForbids):
            take(indexing, till / "cut.scip")
        assert set(edges(indexing)) <= possible
