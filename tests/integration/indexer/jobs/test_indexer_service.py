"""The indexer as a process, asked over gRPC."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from tests.integration.indexer.indexing import write_tree
from tests.integration.indexer.service import refused, running


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return a folder that takes some seconds to parse."""
    body = "\n".join(f"def f{number}(a, b):\n    return a.x{number} + b\n" for number in range(60))
    return write_tree(tmp_path / "large", {f"p/m{number}.py": body + f"\nx = {number}\n" for number in range(1500)})


async def test_job_is_watched_to_its_snapshot(data: Path, shop: Path) -> None:
    """The watch begins at once, ends with the final state, and the snapshot is the current one."""
    async with running(data) as indexer:
        started = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(local_path=str(shop))))
        heard = await indexer.watch(started.job_id)
        late = await indexer.watch(started.job_id)
        snapshot = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop"))
        listed = await indexer.stub.ListRepositories(pb.ListRepositoriesRequest())

    assert heard[-1].state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert heard[-1].counts.files == 6
    assert heard[-1].source.local_path == str(shop)
    assert [job.state for job in late] == [pb.INDEX_JOB_STATE_SUCCEEDED]
    assert snapshot.snapshot_id == heard[-1].snapshot_id
    assert (snapshot.current, snapshot.layers[0].kind) == (True, pb.LAYER_KIND_CORE)
    assert [each.repository for each in listed.repositories] == ["shop"]
    assert listed.repositories[0].active_job_id == ""


async def test_unchanged_source_and_repeated_request_do_no_work(data: Path, shop: Path) -> None:
    """The same source is unchanged; the same request id is the same job, with another source a conflict."""
    async with running(data) as indexer:
        first = await indexer.index(shop, request_id="r1")
        second = await indexer.index(shop)
        repeated = await indexer.index(shop, request_id="r1")
        other = pb.StartIndexingRequest(source=pb.Source(local_path=str(shop / "shop")), request_id="r1")
        conflict = await refused(indexer.stub.StartIndexing(other))

    assert (first.unchanged, second.unchanged) == (False, True)
    assert second.snapshot_id == first.snapshot_id
    assert repeated.job_id == first.job_id
    assert conflict == (grpc.StatusCode.ALREADY_EXISTS, "ERROR_REASON_REQUEST_ID_REUSED")


async def test_vectors_arrive_while_the_core_serves(data: Path, shop: Path) -> None:
    """With the local model a job goes on after publication and ends with a set that has vectors; without, at once."""
    async with running(data, "local") as indexer:
        bare = await indexer.index(shop, without_vectors=True)
        job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(local_path=str(shop))))
        heard = await indexer.watch(job.job_id)
        snapshot = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop"))

    assert bare.counts.vectors == 0
    assert pb.INDEX_JOB_STATE_ENRICHING in [each.state for each in heard]
    assert heard[-1].state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert heard[-1].snapshot_id == snapshot.snapshot_id != bare.snapshot_id
    assert snapshot.counts.vectors > 0
    kinds = [layer.kind for layer in snapshot.layers]
    assert kinds == [pb.LAYER_KIND_CORE, pb.LAYER_KIND_FINDINGS, pb.LAYER_KIND_VECTORS]
    assert [bool(layer.model) for layer in snapshot.layers] == [False, False, True]


async def test_wrong_requests_are_told_apart(data: Path, shop: Path) -> None:
    """Each wrong request has its own code and reason; the service lives on."""
    async with running(data) as indexer:
        stub = indexer.stub
        got = [
            await refused(stub.StartIndexing(pb.StartIndexingRequest())),
            await refused(stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(local_path="/etc")))),
            await refused(
                stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(local_path=str(shop)), repository="../x"))
            ),
            await refused(
                stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(git=pb.GitSource(url="ext::x"))))
            ),
            await refused(stub.GetIndexJob(pb.GetIndexJobRequest(job_id="job_none"))),
            await refused(stub.GetSnapshot(pb.GetSnapshotRequest(repository="none"))),
            await refused(stub.DeleteRepository(pb.DeleteRepositoryRequest(repository="none"))),
            await refused(stub.ListIndexJobs(pb.ListIndexJobsRequest(page_size=-1))),
            await refused(stub.ListIndexJobs(pb.ListIndexJobsRequest(page_token="edited"))),
            await refused(stub.ListFindings(pb.ListFindingsRequest(repository="none"))),
        ]
        alive = await indexer.index(shop)

    invalid = grpc.StatusCode.INVALID_ARGUMENT
    assert got == [
        (invalid, "ERROR_REASON_INVALID_ARGUMENT"),
        (invalid, "ERROR_REASON_SOURCE_REFUSED"),
        (invalid, "ERROR_REASON_INVALID_ARGUMENT"),
        (invalid, "ERROR_REASON_SOURCE_REFUSED"),
        (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_JOB_NOT_FOUND"),
        (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND"),
        (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND"),
        (invalid, "ERROR_REASON_INVALID_ARGUMENT"),
        (invalid, "ERROR_REASON_PAGE_TOKEN_INVALID"),
        (grpc.StatusCode.NOT_FOUND, "ERROR_REASON_REPOSITORY_NOT_FOUND"),
    ]
    assert alive.state == pb.INDEX_JOB_STATE_SUCCEEDED


async def test_cancelled_job_leaves_no_process_and_no_snapshot(data: Path, large: Path) -> None:
    """Cancelling while it parses ends the job and every process of it."""
    async with running(data) as indexer:
        source = pb.Source(local_path=str(large))
        job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=source))
        await indexer.until(job.job_id, pb.INDEX_PHASE_PARSING)
        waiting = await refused(indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="large")))
        cancelled = await indexer.stub.CancelIndexJob(pb.CancelIndexJobRequest(job_id=job.job_id))
        nothing = await refused(indexer.stub.RollbackSnapshot(pb.RollbackSnapshotRequest(repository="large")))
        left = workers_of(indexer.process.pid)

    assert cancelled.state == pb.INDEX_JOB_STATE_CANCELLED
    assert nothing == waiting
    assert waiting == (grpc.StatusCode.FAILED_PRECONDITION, "ERROR_REASON_INDEX_NOT_READY")
    assert left == []
    assert not (data / "repositories/large/CURRENT").exists()


def workers_of(parent: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(folder.name))
    return found


async def test_jobs_of_a_killed_service_are_done_by_the_next(data: Path, large: Path) -> None:
    """After kill -9 the worker ends by itself, and the restarted service finishes the job."""
    async with running(data) as indexer:
        source = pb.Source(local_path=str(large))
        job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=source))
        await indexer.until(job.job_id, pb.INDEX_PHASE_PARSING)
        workers = workers_of(indexer.process.pid)
        await indexer.kill()
    async with running(data) as indexer:
        heard = await indexer.watch(job.job_id)

    assert heard[-1].state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert heard[-1].counts.files == 1500
    assert workers
    assert not set(workers) & set(workers_of(1))


async def test_a_current_snapshot_of_a_later_release_hides_no_other(data: Path, shop: Path) -> None:
    """Those that are known are listed, none as current; that one is said not to be read, and there is a way back."""
    async with running(data) as indexer:
        first = await indexer.index(shop)
        write_tree(shop, {"shop/new.py": "x = 1\n"})
        second = await indexer.index(shop)
        later = data / f"repositories/shop/sets/{second.snapshot_id}.json"
        later.write_text(later.read_text().replace('"schema_version": 2', '"schema_version": 3'))
        listed = await indexer.stub.ListSnapshots(pb.ListSnapshotsRequest(repository="shop"))
        why = await refused(indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop")))
        named = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop", snapshot_id=first.snapshot_id))
        back = await indexer.stub.RollbackSnapshot(pb.RollbackSnapshotRequest(repository="shop"))

    shown = [each.snapshot_id for each in listed.snapshots]
    assert first.snapshot_id in shown
    assert second.snapshot_id not in shown
    assert not any(each.current for each in (*listed.snapshots, named))
    assert why == (grpc.StatusCode.FAILED_PRECONDITION, "ERROR_REASON_INDEX_NOT_READY")
    assert (back.snapshot_id in shown, back.current) == (True, True)


async def test_snapshots_are_listed_rolled_back_and_deleted(data: Path, shop: Path) -> None:
    """Pages are newest first; rollback moves the pointer; deletion removes jobs too, and leaves a note for others."""
    async with running(data) as indexer:
        first = await indexer.index(shop)
        write_tree(shop, {"shop/new.py": "x = 1\n"})
        second = await indexer.index(shop)
        request = pb.ListSnapshotsRequest(repository="shop", page_size=1)
        page = await indexer.stub.ListSnapshots(request)
        request.page_token, request.page_size = page.next_page_token, 10
        rest = await indexer.stub.ListSnapshots(request)
        back = await indexer.stub.RollbackSnapshot(pb.RollbackSnapshotRequest(repository="shop"))
        jobs = await indexer.stub.ListIndexJobs(pb.ListIndexJobsRequest(repository="shop"))
        removed = await indexer.stub.DeleteRepository(pb.DeleteRepositoryRequest(repository="shop"))
        gone = await refused(indexer.stub.GetIndexJob(pb.GetIndexJobRequest(job_id=first.job_id)))
    async with running(data) as again:
        await again.stub.ListRepositories(pb.ListRepositoriesRequest())

    bare = rest.snapshots[0]
    assert [each.snapshot_id for each in page.snapshots] == [second.snapshot_id]
    assert [layer.kind for layer in bare.layers] == [pb.LAYER_KIND_CORE]
    assert [each.snapshot_id for each in rest.snapshots[1:]] == [first.snapshot_id]
    assert rest.next_page_token == ""
    assert (back.snapshot_id, back.current) == (first.snapshot_id, True)
    assert [job.job_id for job in jobs.jobs] == [second.job_id, first.job_id]
    assert removed.snapshots_removed == 3
    assert [file.name for file in (data / "repositories").rglob("*") if file.is_file()] == ["shop.json"]
    assert gone[1] == "ERROR_REASON_JOB_NOT_FOUND"


async def test_service_stops_cleanly_while_a_job_runs(data: Path, large: Path) -> None:
    """SIGTERM during a job exits with 0 and leaves the job to the next service."""
    async with running(data) as indexer:
        source = pb.Source(local_path=str(large))
        job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=source))
        await indexer.until(job.job_id, pb.INDEX_PHASE_PARSING)
        await indexer.close()
        code = indexer.process.returncode
    async with running(data) as indexer:
        found = await indexer.stub.GetIndexJob(pb.GetIndexJobRequest(job_id=job.job_id))
        await indexer.stub.CancelIndexJob(pb.CancelIndexJobRequest(job_id=job.job_id))

    assert code == 0
    assert found.state in (pb.INDEX_JOB_STATE_QUEUED, pb.INDEX_JOB_STATE_RUNNING)
