"""IndexerService over gRPC: decode, use case, encode."""
# ruff: noqa: ARG002 (names and arguments are the contract's)

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from cgrag.indexer.v1 import indexer_pb2 as pb
from cgrag.indexer.v1 import indexer_pb2_grpc

from common.rpc.paging import page_behind
from common.rpc.serving.layers import ConcurrencyLimit
from common.rpc.serving.server import ServiceRegistration
from indexer.domain.jobs import JobQuery
from indexer.rpc import convert, findings, precise
from indexer.usecases.jobs.watch import watch_job
from indexer.usecases.snapshots import ListedSnapshot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from common.rpc.client.calls import Context
    from common.rpc.paging import PageTokens
    from indexer.domain.precise.sites import ListedImport
    from indexer.usecases.check_snapshot import CheckSnapshot
    from indexer.usecases.findings.list_findings import ListFindings
    from indexer.usecases.findings.receive import ImportFindings
    from indexer.usecases.indexing.list_changed_files import ListChangedFiles
    from indexer.usecases.jobs.board import JobBoard
    from indexer.usecases.jobs.remove_repository import RemoveRepository
    from indexer.usecases.jobs.run import JobRunner
    from indexer.usecases.jobs.start import StartJob
    from indexer.usecases.precise.list_imports import ListPrecise
    from indexer.usecases.precise.receive import ImportPrecise
    from indexer.usecases.precise.withdraw import WithdrawPrecise
    from indexer.usecases.snapshots import Snapshots

T = TypeVar("T")

_UPLOADS = frozenset({"ImportFindings", "ImportPreciseEdges"})
_UPLOADS_AT_ONCE = 8
"""Concurrent uploads: a report of findings is in memory until it is imported, a SCIP index on disk."""
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class UseCases:
    """The use cases that the servicer calls."""

    start: StartJob
    board: JobBoard
    runner: JobRunner
    snapshots: Snapshots
    remove: RemoveRepository
    import_findings: ImportFindings
    import_precise: ImportPrecise
    list_precise: ListPrecise
    withdraw_precise: WithdrawPrecise
    list_findings: ListFindings
    list_changed_files: ListChangedFiles
    check: CheckSnapshot


class IndexerServicer(indexer_pb2_grpc.IndexerServiceServicer):
    """Serves the contract; method names are the contract's."""

    def __init__(self, usecases: UseCases, tokens: PageTokens) -> None:
        self._use = usecases
        self._tokens = tokens

    async def StartIndexing(self, request: pb.StartIndexingRequest, context: Context) -> pb.IndexJob:
        """Queue a job."""
        return convert.job_message(await self._use.start.run(*convert.job_spec(request)))

    async def GetIndexJob(self, request: pb.GetIndexJobRequest, context: Context) -> pb.IndexJob:
        """Read one job."""
        return convert.job_message(await self._use.board.get(convert.job_name(request.job_id)))

    async def ListIndexJobs(self, request: pb.ListIndexJobsRequest, context: Context) -> pb.ListIndexJobsResponse:
        """List jobs, newest first."""
        size = convert.page_size(request.page_size)
        repository = convert.repository_name(request.repository) if request.repository else ""
        before = int(self._tokens.read(request, request.page_token) or 0)
        jobs = await self._use.board.find(JobQuery(repository, limit=size + 1, before=before))
        token = self._tokens.make(request, str(jobs[size - 1].number) if len(jobs) > size else "")
        return pb.ListIndexJobsResponse(jobs=map(convert.job_message, jobs[:size]), next_page_token=token)

    async def WatchIndexJob(self, request: pb.WatchIndexJobRequest, context: Context) -> AsyncIterator[pb.IndexJob]:
        """Stream a job while it changes."""
        async with aclosing(watch_job(self._use.board, convert.job_name(request.job_id))) as jobs:
            async for job in jobs:
                yield convert.job_message(job)

    async def CancelIndexJob(self, request: pb.CancelIndexJobRequest, context: Context) -> pb.IndexJob:
        """End a job."""
        return convert.job_message(await self._use.runner.cancel(convert.job_name(request.job_id)))

    async def ListChangedFiles(
        self, request: pb.ListChangedFilesRequest, context: Context
    ) -> pb.ListChangedFilesResponse:
        """List files that are no longer as they were indexed."""
        repository = convert.repository_name(request.repository)
        snapshot_id = convert.snapshot_name(request.snapshot_id)
        found = await self._use.list_changed_files.run(repository, snapshot_id, convert.some_paths(request.paths))
        return pb.ListChangedFilesResponse(
            snapshot_id=found.snapshot_id, source_at_hand=found.at_hand, changed_paths=found.paths
        )

    async def ListSnapshots(self, request: pb.ListSnapshotsRequest, context: Context) -> pb.ListSnapshotsResponse:
        """List published sets, newest first."""
        listed = await self._use.snapshots.list(convert.repository_name(request.repository))
        page, token = self._page(request, listed, _place_of_snapshot)
        return pb.ListSnapshotsResponse(snapshots=map(convert.snapshot_message, page), next_page_token=token)

    async def GetSnapshot(self, request: pb.GetSnapshotRequest, context: Context) -> pb.Snapshot:
        """Read one published set."""
        repository = convert.repository_name(request.repository)
        snapshot_id = convert.snapshot_name(request.snapshot_id)
        return convert.snapshot_message(await self._use.snapshots.get(repository, snapshot_id))

    async def RollbackSnapshot(self, request: pb.RollbackSnapshotRequest, context: Context) -> pb.Snapshot:
        """Make an earlier set current."""
        repository = convert.repository_name(request.repository)
        snapshot_id = convert.snapshot_name(request.snapshot_id)
        return convert.snapshot_message(await self._use.snapshots.rollback(repository, snapshot_id))

    async def DeleteRepository(
        self, request: pb.DeleteRepositoryRequest, context: Context
    ) -> pb.DeleteRepositoryResponse:
        """Withdraw a repository."""
        removed = await self._use.remove.run(convert.repository_name(request.repository))
        return pb.DeleteRepositoryResponse(snapshots_removed=removed)

    async def ListRepositories(
        self, request: pb.ListRepositoriesRequest, context: Context
    ) -> pb.ListRepositoriesResponse:
        """List repositories by name."""
        states = await self._use.snapshots.repositories()
        page, token = self._page(request, states, lambda each: (each.repository,))
        messages = [
            convert.repository_message(
                state, convert.snapshot_message(ListedSnapshot(state.current, current=True)) if state.current else None
            )
            for state in page
        ]
        return pb.ListRepositoriesResponse(repositories=messages, next_page_token=token)

    async def ImportFindings(
        self, request_iterator: AsyncIterator[pb.ImportFindingsRequest], context: Context
    ) -> pb.ImportFindingsResponse:
        """Take over the report of a scanner."""
        upload = await findings.read_upload(request_iterator)
        return findings.import_message(await self._use.import_findings.run(*upload))

    async def ImportPreciseEdges(
        self, request_iterator: AsyncIterator[pb.ImportPreciseEdgesRequest], context: Context
    ) -> pb.ImportPreciseEdgesResponse:
        """Take over the edges of a SCIP index."""
        repository, chunks = await precise.open_upload(request_iterator)
        async with aclosing(chunks):
            return precise.import_message(await self._use.import_precise.run(repository, chunks))

    async def ListPreciseImports(
        self, request: pb.ListPreciseImportsRequest, context: Context
    ) -> pb.ListPreciseImportsResponse:
        """List imported SCIP indexes, newest first."""
        listed = await self._use.list_precise.run(convert.repository_name(request.repository))
        page, token = self._page(request, listed, _place_of_import)
        return pb.ListPreciseImportsResponse(imports=map(precise.listed_message, page), next_page_token=token)

    async def DeletePreciseImports(
        self, request: pb.DeletePreciseImportsRequest, context: Context
    ) -> pb.DeletePreciseImportsResponse:
        """Withdraw imported SCIP indexes."""
        repository = convert.repository_name(request.repository)
        return precise.withdrawal_message(
            await self._use.withdraw_precise.run(repository, precise.import_names(request.import_ids))
        )

    async def ListFindings(self, request: pb.ListFindingsRequest, context: Context) -> pb.ListFindingsResponse:
        """List findings, worst first."""
        repository = convert.repository_name(request.repository)
        query, size = findings.query(request)
        after = findings.position(self._tokens.read(request, request.page_token))
        found = await self._use.list_findings.run(repository, query, limit=size + 1, after=after)
        token = self._tokens.make(request, findings.cursor(found[size - 1]) if len(found) > size else "")
        return pb.ListFindingsResponse(findings=map(findings.finding_message, found[:size]), next_page_token=token)

    async def CheckSnapshot(self, request: pb.CheckSnapshotRequest, context: Context) -> pb.CheckSnapshotResponse:
        """Check the current snapshot against the invariants."""
        return convert.checked_message(*await self._use.check.run(convert.repository_name(request.repository)))

    def _page(
        self, request: Any, rows: Sequence[T], place: Callable[[T], tuple[int | str, ...]]
    ) -> tuple[Sequence[T], str]:
        """Return one page of all rows, which are sorted in ascending order of their places."""
        size = convert.page_size(request.page_size)
        page, cursor = page_behind(rows, place, self._tokens.read(request, request.page_token), size)
        return page, self._tokens.make(request, cursor)


def _place_of_snapshot(listed: ListedSnapshot) -> tuple[int, str]:
    return _newest_first(listed.snapshot.publish_time), listed.snapshot.snapshot_id


def _place_of_import(listed: ListedImport) -> tuple[int, str]:
    return _newest_first(listed.kept.time), listed.kept.import_id


def _newest_first(time: datetime | None) -> int:
    """Return a key that sorts the latest time first, and None last."""
    return (_EPOCH - time) // timedelta(microseconds=1) if time else 0


def registration(servicer: IndexerServicer, *, max_calls: int) -> ServiceRegistration:
    """Return the registration of the service, which refuses more than eight concurrent uploads."""
    return ServiceRegistration(
        pb.DESCRIPTOR.services_by_name["IndexerService"],
        indexer_pb2_grpc.add_IndexerServiceServicer_to_server,
        servicer,
        (ConcurrencyLimit(_UPLOADS, min(_UPLOADS_AT_ONCE, max_calls)),),
    )
