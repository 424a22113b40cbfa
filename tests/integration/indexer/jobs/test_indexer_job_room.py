"""Jobs as processes: one makes room for the next, one is over its time, and a repository goes with all it has."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import grpc
import numpy as np
import qdrant_edge
from cgrag.indexer.v1 import indexer_pb2 as pb
from cgrag.type.v1 import error_pb2

from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.adapters.sources.addresses import parse_url
from indexer.adapters.sources.clones import CloneFolder
from indexer.adapters.sources.remote import alone, clone_folder
from indexer.domain.jobs import GitSource, Job, JobSpec, JobState
from tests.fakes.clock import FakeClock
from tests.fakes.embedding_endpoint import EmbeddingEndpoint
from tests.fakes.qdrant_server import QdrantServer
from tests.integration.indexer.indexing import write_tree
from tests.integration.indexer.service import Indexer, refused, running

URL, OTHER = "https://example.org/shop.git", "https://example.org/other.git"
_KEPT_AT_ONCE = 256
"""Texts that are embedded before any of them is kept: at most so many are lost."""


def start(source: Path, **more: object) -> pb.StartIndexingRequest:
    return pb.StartIndexingRequest(source=pb.Source(local_path=str(source)), **more)  # type: ignore[arg-type]


def functions(count: int) -> str:
    return "\n\n".join(
        f'def f{number}():\n    """Do thing {number}."""\n    return {number}' for number in range(count)
    )


async def test_an_edit_while_vectors_are_made_is_indexed_at_once(data: Path, tmp_path: Path) -> None:
    """The first job is set aside, the edit serves, and what was embedded is not embedded again."""
    tree = write_tree(tmp_path / "src", {"a.py": functions(600), "b.py": "x = 1\n"})
    with EmbeddingEndpoint(held_after=6) as endpoint:
        async with running(data, "openai", CGRAG_INDEXER_ANALYZERS="", **endpoint.environ) as indexer:
            old = await indexer.stub.StartIndexing(start(tree, repository="shop"))
            await asyncio.to_thread(endpoint.held.wait, 60)
            write_tree(tree, {"b.py": 'def added():\n    """Come later."""\n'})
            new = await indexer.stub.StartIndexing(start(tree, repository="shop"))
            await indexer.until(new.job_id, pb.INDEX_PHASE_EMBEDDING)
            superseded = (await indexer.watch(old.job_id))[-1]
            served = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop"))
            endpoint.go.set()
            done = (await indexer.watch(new.job_id))[-1]

    assert (superseded.state, superseded.superseded_by) == (pb.INDEX_JOB_STATE_SUCCEEDED, new.job_id)
    assert superseded.snapshot_id != served.snapshot_id
    assert done.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert done.counts.vectors > 600
    assert len(endpoint.texts) - len(set(endpoint.texts)) < _KEPT_AT_ONCE


async def test_a_job_over_its_time_is_ended_with_its_processes(data: Path, shop: Path, tmp_path: Path) -> None:
    """The reason is for programs, the text for people; what was published before still serves."""
    slow = write_tree(tmp_path / "slow", {f"m{number}.py": functions(60) for number in range(400)})
    async with running(data) as indexer:
        first = await indexer.index(shop, repository="shop")
    async with running(data, CGRAG_INDEXER_JOB_SECONDS="0.5") as indexer:
        failed = await indexer.index(slow, repository="shop")
        served = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop"))
        workers = _children(indexer.process.pid)

    assert (failed.state, failed.error_reason) == (
        pb.INDEX_JOB_STATE_FAILED,
        error_pb2.ERROR_REASON_DEADLINE_EXCEEDED,
    )
    assert "job_seconds" in failed.error
    assert served.snapshot_id == first.snapshot_id
    assert workers == []


async def test_a_removed_repository_leaves_nothing(data: Path, shop: Path) -> None:
    """Clone, points in the vector server and jobs go; what another repository uses stays; again is not found."""
    with QdrantServer() as server:
        _points(server, "cgrag_tiny", "shop", "other")
        _points(server, "cgrag_older", "shop")
        _points(server, "theirs", "shop")
        _job_of(data, "shop", URL, OTHER)
        _job_of(data, "other", OTHER)
        clones = [_clone(data, url) for url in (URL, OTHER)]
        async with running(data, **_at(server)) as indexer:
            await indexer.index(shop, repository="shop")
            await _remove(indexer, "shop")
            again = await refused(indexer.stub.DeleteRepository(pb.DeleteRepositoryRequest(repository="shop")))
            jobs = await indexer.stub.ListIndexJobs(pb.ListIndexJobsRequest())
        left = {name: shard.count(_all()) for name, shard in server.shards.items()}

    assert [clone.exists() for clone in clones] == [False, True]
    assert left == {"cgrag_tiny": 1, "cgrag_older": 0, "theirs": 1}
    assert again == (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND")
    assert [job.repository for job in jobs.jobs] == ["other"]
    assert not (data / "repositories/shop").exists()


async def test_a_removal_that_a_crash_cut_off_is_finished_at_the_next_start(data: Path, shop: Path) -> None:
    """The first try fails at the vector server, the service is killed; the next one finishes before it takes jobs."""
    _job_of(data, "shop", URL)
    clone = _clone(data, URL)
    async with running(data, CGRAG_QDRANT_HOST="127.0.0.1", CGRAG_QDRANT_GRPC_PORT="1") as indexer:
        away = await refused(indexer.stub.DeleteRepository(pb.DeleteRepositoryRequest(repository="shop")))
        refused_too = await refused(indexer.stub.StartIndexing(start(shop, repository="shop")))
        await indexer.kill()
    with QdrantServer() as server:
        _points(server, "cgrag_tiny", "shop")
        async with running(data, **_at(server)) as indexer:
            job = await indexer.index(shop, repository="shop")
        left = server.shards["cgrag_tiny"].count(_all())

    assert away == refused_too == (grpc.StatusCode.UNAVAILABLE, "ERROR_REASON_DEPENDENCY_UNAVAILABLE")
    assert job.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert (clone.exists(), left) == (False, 0)
    with closing(sqlite3.connect(data / "indexer/jobs.db")) as database:
        assert database.execute("SELECT repository FROM removals").fetchall() == []
        assert database.execute("SELECT count(*) FROM jobs").fetchone() == (1,)


async def test_a_clone_is_not_removed_under_a_fetch(data: Path) -> None:
    """Removal waits for who holds the clone; who waits for a removed one begins with a new one."""
    clone = _clone(data, URL)
    with alone(clone):
        removal = asyncio.create_task(asyncio.to_thread(CloneFolder(data / "git").remove, [URL, "file:///x", "?"], []))
        await asyncio.to_thread(_until_waited_for, clone.with_suffix(".lock"))
        kept = clone.exists()
    await removal
    with alone(clone):
        gone = not clone.exists()

    assert kept
    assert gone


def _until_waited_for(lock: Path) -> None:
    """Wait until somebody else has the file open."""
    inode = f":{lock.stat().st_ino} "
    while Path("/proc/locks").read_text().count(inode) < 2:
        pass


async def _remove(indexer: Indexer, repository: str) -> None:
    await indexer.stub.DeleteRepository(pb.DeleteRepositoryRequest(repository=repository))


def _clone(data: Path, url: str) -> Path:
    clone = clone_folder(data / "git", parse_url(url))
    write_tree(clone, {"HEAD": "ref: refs/heads/main\n"})
    return clone


def _job_of(data: Path, repository: str, *urls: str) -> None:
    with closing(SqliteJobQueue(data / "indexer/jobs.db")) as queue:
        for url in urls:
            job = Job(f"job_{repository}_{url[-9:]}", JobSpec(repository, GitSource(url)), FakeClock().now())
            queue.add(job)
            queue.update(job.ended(JobState.CANCELLED, FakeClock().now()))


def _at(server: QdrantServer) -> dict[str, str]:
    return {"CGRAG_QDRANT_HOST": "127.0.0.1", "CGRAG_QDRANT_GRPC_PORT": str(server.port)}


def _points(server: QdrantServer, collection: str, *repositories: str) -> None:
    server.create(collection, 4)
    points = [
        qdrant_edge.Point(number, np.ones(4).tolist(), {"repository": repository})
        for number, repository in enumerate(repositories)
    ]
    server.shards[collection].update(qdrant_edge.UpdateOperation.upsert_points(points))


def _all() -> qdrant_edge.CountRequest:
    return qdrant_edge.CountRequest()


def _children(parent: int) -> list[str]:
    return (Path(f"/proc/{parent}/task/{parent}/children").read_text()).split()
