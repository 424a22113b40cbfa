"""SCIP indexes over gRPC: received in chunks, imported by a process of their own, kept over jobs, then removed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from common.core.errors import AppError
from indexer.adapters.precise.process import ProcessPreciseImporter
from indexer.adapters.store.scratch import FolderScratch
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.service import Indexer, refused, running

FIXTURE = Path(__file__).parents[3] / "fixtures/scip/python"
HEADER = pb.ImportPreciseEdgesHeader(repository="till")


def upload(index: bytes, size: int = 1000) -> Iterator[pb.ImportPreciseEdgesRequest]:
    """Yield the header alone, then the index in chunks."""
    yield pb.ImportPreciseEdgesRequest(header=HEADER)
    for start in range(0, len(index), size):
        yield pb.ImportPreciseEdgesRequest(chunk=index[start : start + size])


async def imported(indexer: Indexer, index: bytes | None = None) -> pb.ImportPreciseEdgesResponse:
    """Import an index, by default that of the fixture."""
    return await indexer.stub.ImportPreciseEdges(
        upload((FIXTURE / "index.scip").read_bytes() if index is None else index)
    )


async def layers(indexer: Indexer) -> list[int]:
    """Return the kinds of the current set's layers."""
    current = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="till"))
    return [layer.kind for layer in current.layers]


async def test_an_import_lives_as_long_as_the_repository(data: Path, till: Path) -> None:
    """It is published over core, survives the next job, and is forgotten with the repository."""
    async with running(data, CGRAG_INDEXER_ANALYZERS="") as indexer:
        await indexer.index(till)
        done = await imported(indexer)
        first = await layers(indexer)
        write_tree(till, {"till/receipt.py": "def receipt():\n    return ''\n"})
        job = await indexer.index(till)
        second = await layers(indexer)
        await indexer.stub.DeleteRepository(pb.DeleteRepositoryRequest(repository="till"))
    with closing(sqlite3.connect(data / "indexer/precise.db")) as archive:
        kept = archive.execute("SELECT COUNT(*) FROM files").fetchone()

    assert (done.documents, list(done.refused)) == (3, [])
    assert done.edges_precise > 20
    assert pb.LAYER_KIND_PRECISE_EDGES in first
    assert pb.LAYER_KIND_PRECISE_EDGES in second
    assert job.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert kept == (0,)
    assert list((data / "indexer/scratch").iterdir()) == []


async def test_wrong_imports_are_refused_and_change_nothing(data: Path, till: Path) -> None:
    """Each has the status of what is wrong; the service goes on, and nothing is published."""
    invalid = [
        [],
        [pb.ImportPreciseEdgesRequest(header=HEADER)],
        [pb.ImportPreciseEdgesRequest(chunk=b"{}")],
        [pb.ImportPreciseEdgesRequest(header=HEADER), pb.ImportPreciseEdgesRequest(header=HEADER, chunk=b"{}")],
        [pb.ImportPreciseEdgesRequest(header=HEADER, chunk=b" " * (1 << 20) + b"{}")],
        [pb.ImportPreciseEdgesRequest(header=pb.ImportPreciseEdgesHeader(repository="../x"), chunk=b"{}")],
        [pb.ImportPreciseEdgesRequest(header=HEADER, chunk=b"\x12\x80\x80\x80\x80\x04")],
        list(upload(b"x" * (1 << 20) + b"x", 1 << 20)),
    ]
    async with running(data, CGRAG_INDEXER_ANALYZERS="", CGRAG_INDEXER_PRECISE_MAX_MB="1") as indexer:
        missing = await refused(imported(indexer))
        await indexer.index(till)
        before = await layers(indexer)
        got = [await refused(indexer.stub.ImportPreciseEdges(iter(each))) for each in invalid]
        shutil.rmtree(till / "till")
        write_tree(till, {"other.py": "def other():\n    pass\n"})
        await indexer.index(till)
        unfit = await refused(imported(indexer))
        after = await layers(indexer)

    assert missing == (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND")
    assert set(got) == {(grpc.StatusCode.INVALID_ARGUMENT, "ERROR_REASON_INVALID_ARGUMENT")}
    assert unfit == (grpc.StatusCode.FAILED_PRECONDITION, "ERROR_REASON_FAILED_PRECONDITION")
    assert after == before


async def _chunks(index: bytes) -> AsyncIterator[bytes]:
    yield index


@pytest.mark.parametrize(
    ("seconds", "content", "told"),
    [
        (0.01, b"\x0a\x00", "took longer than 0.01 s"),
        (60.0, b"\x12\x80\xda\xc4\x09" + b"\x12\x00" * 10_000_000, "256 MiB of memory|is damaged|ended unexpectedly"),
    ],
)
async def test_an_import_over_its_bounds_is_ended(
    indexing: Indexing, till: Path, seconds: float, content: bytes, told: str
) -> None:
    """Time is up, or memory: ten million empty occurrences are 20 MB on disk. The error says what to do."""
    indexing.run(till, name="till")
    environ = {**os.environ, "CGRAG_DATA_DIR": str(indexing.data), "CGRAG_INDEXER_PRECISE_MEMORY_MB": "256"}
    scratch = FolderScratch(indexing.data / "indexer/scratch")
    importer = ProcessPreciseImporter(environ, scratch, seconds=seconds)

    with pytest.raises(AppError, match=told):
        await importer.run("till", _chunks(content))
    assert list((indexing.data / "indexer/scratch").iterdir()) == []


async def test_imports_are_listed_and_withdrawn(data: Path, till: Path) -> None:
    """A list says who made it and where it holds; without it the linker's edges and counts are there again."""
    async with running(data, CGRAG_INDEXER_ANALYZERS="") as indexer:
        await indexer.index(till)
        before = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="till"))
        await imported(indexer)
        await imported(indexer)
        (first,) = (await indexer.stub.ListPreciseImports(pb.ListPreciseImportsRequest(repository="till"))).imports
        money = (FIXTURE / "till/money.py").read_text()
        write_tree(till, {"till/money.py": money + "\n\nx = 1\n"})
        await indexer.index(till)
        (later,) = (await indexer.stub.ListPreciseImports(pb.ListPreciseImportsRequest(repository="till"))).imports
        wrong = [
            await refused(
                indexer.stub.DeletePreciseImports(pb.DeletePreciseImportsRequest(repository=name, import_ids=ids))
            )
            for name, ids in (("till", ["none", first.import_id]), ("till", []), ("nobody", ["none"]))
        ]
        kept = await layers(indexer)
        write_tree(till, {"till/money.py": money})
        await indexer.index(till)
        done = await indexer.stub.DeletePreciseImports(
            pb.DeletePreciseImportsRequest(repository="till", import_ids=[first.import_id])
        )
        after = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="till"))
        left = await indexer.stub.ListPreciseImports(pb.ListPreciseImportsRequest(repository="till"))

    assert first.tool.startswith("scip-python")
    assert first.HasField("import_time")
    assert (first.files, first.files_in_force, later.files, later.files_in_force) == (3, 3, 3, 2)
    assert later.import_id == first.import_id
    assert [code for code, _ in wrong] == [
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
    ]
    assert wrong[0][1] == "ERROR_REASON_IMPORT_NOT_FOUND"
    assert pb.LAYER_KIND_PRECISE_EDGES in kept
    assert (done.snapshot_id, done.files, done.edges_precise) == (before.snapshot_id, 3, 0)
    assert (after.snapshot_id, after.counts.edges) == (before.snapshot_id, before.counts.edges)
    assert list(left.imports) == []
