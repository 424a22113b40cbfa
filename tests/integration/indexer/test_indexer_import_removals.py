"""Imports whose repository is removed while they are at work: nothing of it comes back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from indexer.adapters.store.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.domain.errors import RepositoryNotFound
from indexer.domain.findings import CodeFile
from indexer.usecases.import_findings import ImportFindings
from indexer.usecases.job_board import JobBoard
from indexer.usecases.publish_findings import FindingsPublisher
from indexer.usecases.publish_precise import PrecisePublisher
from indexer.usecases.snapshots import Snapshots
from indexer.usecases.take_precise import TakePrecise
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.integration.indexer.indexing import Indexing

FIXTURE = Path(__file__).parents[2] / "fixtures/scip/python"
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


@pytest.fixture
def till(tmp_path: Path) -> Path:
    """Return a copy of the project that the index was made of."""
    return Path(shutil.copytree(FIXTURE, tmp_path / "till"))


def test_edges_of_a_repository_that_was_removed_meanwhile_are_not_kept(indexing: Indexing, till: Path) -> None:
    """They would hold for the next one of that name; and its folder would say that there is one."""
    indexing.run(till)
    store = open_store(indexing.settings)
    with closing(SqlitePreciseArchive(indexing.data / "indexer/precise.db")) as archive:
        scratch = FolderScratch(indexing.data / "indexer/scratch")
        layer, clock = SqlitePreciseLayer(), SystemClock()
        publisher = PrecisePublisher(store, layer, SqliteCoreCode(), archive, scratch, clock, version="1")

        @contextmanager
        def removed_when_read(core: Path) -> Iterator[SqliteCoreTexts]:
            with SqliteCoreTexts(core) as texts:
                yield texts
            store.delete("shop")
            archive.remove("shop")

        with pytest.raises(RepositoryNotFound):
            TakePrecise(store, removed_when_read, archive, publisher, clock).run("shop", ScipFile(till / "index.scip"))
        kept = archive.texts("shop")

    assert kept == {}
    assert not (indexing.data / "repositories/shop").exists()


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
        importing = ImportFindings(snapshots, store, RemovedWhenRead(), archive, archive, publisher)
        with pytest.raises(RepositoryNotFound):
            await importing.run("shop", "", json.dumps(REPORT).encode())
        kept = archive.findings("shop")

    assert list(kept) == []
    assert not (indexing.data / "repositories/shop").exists()
