"""Imports whose repository is removed, or indexed anew, while they are at work: nothing of what was comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from common.core.clock import SystemClock
from indexer.adapters.findings.archive import SqliteFindingsArchive
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.findings.layer import JsonFindingsLayer
from indexer.adapters.precise.archive import SqlitePreciseArchive
from indexer.adapters.precise.core_texts import SqliteCoreTexts
from indexer.adapters.precise.layer import SqlitePreciseLayer
from indexer.adapters.precise.scip_file import ScipFile
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.domain.errors import RepositoryNotFound, StateForbids
from indexer.domain.findings.finding import CodeFile
from indexer.usecases.findings.apply_import import ApplyFindingsImport
from indexer.usecases.findings.publish import FindingsPublisher
from indexer.usecases.findings.receive import ImportFindings
from indexer.usecases.jobs.board import JobBoard
from indexer.usecases.precise.apply_import import ApplyPreciseImport
from indexer.usecases.precise.publish import PrecisePublisher
from indexer.usecases.snapshots import Snapshots
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.integration.indexer.indexing import Indexing

REPORT = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {"driver": {"name": "scanner"}},
            "results": [
                {
                    "ruleId": "r",
                    "message": {"text": "m"},
                    "locations": [
                        {"physicalLocation": {"artifactLocation": {"uri": "till/money.py"}, "region": {"startLine": 1}}}
                    ],
                }
            ],
        }
    ],
}


def publisher(indexing: Indexing, archive: SqlitePreciseArchive, code: SqliteCoreCode) -> PrecisePublisher:
    """Return what publishes edges."""
    store, scratch = open_store(indexing.settings), FolderScratch(indexing.data / "indexer/scratch")
    return PrecisePublisher(store, SqlitePreciseLayer(), code, archive, scratch, SystemClock(), version="1")


def take(
    indexing: Indexing, archive: SqlitePreciseArchive, texts: Callable[[Path], AbstractContextManager[SqliteCoreTexts]]
) -> ApplyPreciseImport:
    """Return what imports an index."""
    publishing = publisher(indexing, archive, SqliteCoreCode())
    return ApplyPreciseImport(open_store(indexing.settings), texts, archive, publishing, SystemClock())


def index_anew(indexing: Indexing, till: Path) -> None:
    """Publish so often that what was current before is removed."""
    for number in range(2):
        (till / f"more_{number}.py").write_text(f"def more_{number}():\n    pass\n", "utf-8")
        indexing.run(till)


def test_edges_of_a_repository_that_was_removed_meanwhile_are_not_kept(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """They would hold for the next one of that name; and its folder would say that there is one."""
    indexing.run(till)

    @contextmanager
    def removed_when_read(core: Path) -> Iterator[SqliteCoreTexts]:
        with SqliteCoreTexts(core) as texts:
            yield texts
        open_store(indexing.settings).delete("shop")
        archive.remove("shop")

    with pytest.raises(RepositoryNotFound):
        take(indexing, archive, removed_when_read).run("shop", ScipFile(till / "index.scip"))

    assert archive.texts("shop") == {}
    assert not (indexing.data / "repositories/shop").exists()


@pytest.mark.parametrize(
    ("meanwhile", "error", "told"),
    [
        ("removed", RepositoryNotFound, "shop"),
        # Two publications remove the core that the import was begun for.
        ("indexed anew", StateForbids, "was indexed anew during the import; import again"),
        ("nothing", OSError, "cannot read"),
    ],
)
def test_an_import_that_breaks_tells_what_came_meanwhile(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive, meanwhile: str, error: type[Exception], told: str
) -> None:
    """What it is to be read against has gone; how the reading broke is told where nothing else explains it."""
    indexing.run(till)

    def broken(core: Path) -> SqliteCoreTexts:
        if meanwhile == "removed":
            open_store(indexing.settings).delete("shop")
        elif meanwhile == "indexed anew":
            index_anew(indexing, till)
        else:
            raise OSError(f"cannot read {core}")
        return SqliteCoreTexts(core)

    with pytest.raises(error, match=told):
        take(indexing, archive, broken).run("shop", ScipFile(till / "index.scip"))


def test_edges_of_a_core_that_was_removed_are_left_to_the_job_of_the_next(
    indexing: Indexing, till: Path, archive: SqlitePreciseArchive
) -> None:
    """Who publishes them finds another core, and no core where it looked."""
    indexing.run(till)
    store = open_store(indexing.settings)
    first = store.current("shop")
    assert first is not None
    take(indexing, archive, SqliteCoreTexts).run("shop", ScipFile(till / "index.scip"))

    class IndexedAnewWhenRead(SqliteCoreCode):
        def files(self, core: Path) -> dict[str, CodeFile]:
            index_anew(indexing, till)
            return super().files(core)

    assert publisher(indexing, archive, IndexedAnewWhenRead()).publish(first) is None


async def test_findings_of_a_repository_that_was_removed_meanwhile_are_not_kept(indexing: Indexing, till: Path) -> None:
    """Likewise."""
    indexing.run(till)
    store = open_store(indexing.settings)
    with closing(SqliteFindingsArchive(indexing.data / "indexer/findings.db")) as archive:

        class RemovedWhenRead(SqliteCoreCode):
            def files(self, core: Path) -> dict[str, CodeFile]:
                found = super().files(core)
                store.delete("shop")
                archive.remove("shop")
                return found

        publisher = FindingsPublisher(store, JsonFindingsLayer(), SqliteCoreCode(), archive, SystemClock())
        snapshots = Snapshots(store, store, JobBoard(MemoryJobQueue()))
        take = ApplyFindingsImport(store, RemovedWhenRead(), archive, archive, publisher)
        importing = ImportFindings(snapshots, take.run)
        with pytest.raises(RepositoryNotFound):
            await importing.run("shop", "", json.dumps(REPORT).encode())
        kept = archive.findings("shop")

    assert list(kept) == []
    assert not (indexing.data / "repositories/shop").exists()
