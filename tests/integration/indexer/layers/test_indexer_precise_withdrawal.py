"""Withdrawn imports go out of force, whatever fails or happens at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from cgrag.scip.v1 import scip_pb2

from common.core.clock import SystemClock
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.precise.archive import SqlitePreciseArchive
from indexer.adapters.precise.layer import SqlitePreciseLayer
from indexer.adapters.precise.process import ProcessPreciseImporter
from indexer.adapters.precise.scip_file import ScipFile
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.adapters.store.snapshots import FolderSnapshotStore
from indexer.domain.errors import ImportFailed, ImportNotFound, StorageFull
from indexer.domain.jobs import Published
from indexer.domain.precise.sites import BuiltPrecise, PreciseFile
from indexer.domain.snapshots.snapshot import Layer, SnapshotSet
from indexer.usecases.jobs.board import JobBoard
from indexer.usecases.precise.apply_withdrawal import ApplyPreciseWithdrawal
from indexer.usecases.precise.publish import PrecisePublisher
from indexer.usecases.precise.withdraw import WithdrawPrecise
from indexer.usecases.snapshots import Snapshots
from indexer.worker.precise import apply_import, apply_withdrawal, precise_publisher
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.integration.indexer.indexing import Indexing, Listener


class InterruptedLayer(SqlitePreciseLayer):
    """Lets something happen once while a layer is being built."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self._meanwhile: list[Callable[[], object]] = [meanwhile]

    def build(self, core: Path, files: Sequence[PreciseFile], imports: str, folder: Path) -> BuiltPrecise:
        """Build as usual, then let it happen."""
        built = super().build(core, files, imports, folder)
        while self._meanwhile:
            self._meanwhile.pop()()
        return built


class FullStore(FolderSnapshotStore):
    """Has no room for another set."""

    def publish(self, snapshot: SnapshotSet, staged: Mapping[Layer, Path]) -> SnapshotSet:
        """Refuse it."""
        raise StorageFull("full")


def publisher(
    indexing: Indexing,
    archive: SqlitePreciseArchive,
    store: FolderSnapshotStore,
    layers: SqlitePreciseLayer,
) -> PrecisePublisher:
    scratch = FolderScratch(indexing.data / "indexer/scratch")
    return PrecisePublisher(store, layers, SqliteCoreCode(), archive, scratch, SystemClock(), version="1")


def take(indexing: Indexing, index: Path) -> None:
    with apply_import(indexing.settings) as taking:
        taking.run("shop", ScipFile(index))


def index_of(till: Path, path: str) -> Path:
    """Write an index of one file alone."""
    index = scip_pb2.Index()
    index.ParseFromString((till / "index.scip").read_bytes())
    kept = [each for each in index.documents if each.relative_path == path]
    del index.documents[:]
    index.documents.extend(kept)
    (till / "part.scip").write_bytes(index.SerializeToString())
    return till / "part.scip"


def test_a_withdrawal_that_could_not_be_published_is_made_good_by_the_next_job(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """The disk is full after the imports are forgotten; a job leaves them out, and asking again finds that."""
    bare = indexing.run(till).snapshot
    take(indexing, till / "index.scip")
    (kept,) = archive.imports("shop")
    full = FullStore(indexing.data / "repositories", SystemClock(), lambda _: None)
    failing = ApplyPreciseWithdrawal(full, archive, publisher(indexing, archive, full, SqlitePreciseLayer()))
    with pytest.raises(StorageFull):
        failing.run("shop", [kept.import_id])
    listener = Listener()
    with precise_publisher(indexing.settings) as job:
        after = job.run(indexing.run(till).snapshot, listener)
    with apply_withdrawal(indexing.settings) as withdrawal:
        again = withdrawal.run("shop", [kept.import_id])

    assert after == indexing.current()
    assert (after.snapshot_id, after.counts.edges) == (bare.snapshot_id, bare.counts.edges)
    assert listener.events == [Published(after.snapshot_id, unchanged=False, counts=after.counts)]
    assert (again.snapshot_id, again.precise) == (bare.snapshot_id, 0)


def test_a_withdrawal_that_could_not_be_published_is_finished_by_asking_again(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """What failed behind the archive is done by the second call, once; a third one finds nothing to withdraw."""
    bare = indexing.run(till).snapshot
    take(indexing, till / "index.scip")
    (kept,) = archive.imports("shop")
    full = FullStore(indexing.data / "repositories", SystemClock(), lambda _: None)
    failing = ApplyPreciseWithdrawal(full, archive, publisher(indexing, archive, full, SqlitePreciseLayer()))
    for _ in range(2):
        with pytest.raises(StorageFull):
            failing.run("shop", [kept.import_id])
    with apply_withdrawal(indexing.settings) as withdrawal:
        done = withdrawal.run("shop", [kept.import_id])
        with pytest.raises(ImportNotFound):
            withdrawal.run("shop", [kept.import_id])

    assert (done.snapshot_id, done.files, done.precise) == (bare.snapshot_id, len(kept.texts), 0)
    assert indexing.current().snapshot_id == bare.snapshot_id


async def test_what_was_never_imported_costs_no_process(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """It is told from what is kept, before a process has had the time to start; what fails halfway is still found."""
    indexing.run(till)
    take(indexing, till / "index.scip")
    (kept,) = archive.imports("shop")
    archive.withdraw("shop", [kept.import_id])
    scratch = FolderScratch(indexing.data / "indexer/scratch")
    importer = ProcessPreciseImporter(os.environ, scratch, seconds=0.001)
    store = open_store(indexing.settings)
    removal = WithdrawPrecise(Snapshots(store, store, JobBoard(MemoryJobQueue())), archive, importer)

    with pytest.raises(ImportNotFound, match="'none'"):
        await removal.run("shop", [kept.import_id, "none"])
    with pytest.raises(ImportFailed, match="took longer"):
        await removal.run("shop", [kept.import_id])


def test_an_import_that_comes_back_is_not_half_withdrawn(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """What is imported again after a withdrawal that failed can be withdrawn as a whole, once."""
    indexing.run(till)
    take(indexing, till / "index.scip")
    (kept,) = archive.imports("shop")
    archive.withdraw("shop", [kept.import_id])
    take(indexing, till / "index.scip")

    assert archive.unfinished("shop") == {}
    with apply_withdrawal(indexing.settings) as withdrawal:
        assert withdrawal.run("shop", [kept.import_id]).files == len(kept.texts)
        with pytest.raises(ImportNotFound):
            withdrawal.run("shop", [kept.import_id])


def test_what_is_withdrawn_while_a_job_builds_is_not_published(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """The withdrawal finds no layer and succeeds; the job, which had read the imports before, leaves them out."""
    bare = indexing.run(till).snapshot
    take(indexing, till / "index.scip")
    (kept,) = archive.imports("shop")
    store = open_store(indexing.settings)
    store.rollback("shop", bare.snapshot_id)

    def withdraw() -> None:
        with apply_withdrawal(indexing.settings) as withdrawal:
            withdrawal.run("shop", [kept.import_id])

    job = publisher(indexing, archive, store, InterruptedLayer(withdraw))
    after = job.run(indexing.current(), Listener())

    assert archive.imports("shop") == []
    assert after.snapshot_id == bare.snapshot_id
    assert indexing.current().layer("precise") is None


def test_what_is_left_after_a_withdrawal_meanwhile_is_published(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """One of two imports goes while a job builds: its set is the one that the other import makes alone."""
    bare = indexing.run(till).snapshot
    take(indexing, index_of(till, "till/money.py"))
    (first,) = archive.imports("shop")
    store = open_store(indexing.settings)
    alone = publisher(indexing, archive, store, SqlitePreciseLayer()).run(bare, Listener())
    take(indexing, index_of(till, "till/receipt.py"))
    (second,) = (each for each in archive.imports("shop") if each != first)
    meanwhile = InterruptedLayer(lambda: archive.withdraw("shop", [second.import_id]))
    after = publisher(indexing, archive, store, meanwhile).run(indexing.current(), Listener())

    assert alone.layer("precise") is not None
    assert after.snapshot_id == alone.snapshot_id
    assert indexing.current() == after
