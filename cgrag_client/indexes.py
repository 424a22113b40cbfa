"""Starts and watches indexing jobs, and lists what is indexed."""

from __future__ import annotations

import re
from contextlib import aclosing
from typing import TYPE_CHECKING

import grpc
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc

from cgrag_client.errors import ClientError, ServiceUnreachable, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from cgrag_client.connecting.connection import Connection

    Job = indexer_pb2.IndexJob

_LEAST_DIGITS = 4
_FINAL = frozenset(
    {
        indexer_pb2.INDEX_JOB_STATE_SUCCEEDED,
        indexer_pb2.INDEX_JOB_STATE_FAILED,
        indexer_pb2.INDEX_JOB_STATE_CANCELLED,
    }
)
MAX_CUTS = 5
_REMOTE = re.compile(r"(?:https?|ssh|git|file)://|[\w.+-]+@[\w.-]+:(?!//)")


def is_final(job: Job) -> bool:
    """Return whether a job has ended, successfully or not."""
    return job.state in _FINAL


def is_served(job: Job) -> bool:
    """Return whether a job's core is published, so that questions can be asked."""
    return job.state in (indexer_pb2.INDEX_JOB_STATE_ENRICHING, indexer_pb2.INDEX_JOB_STATE_SUCCEEDED)


def is_git_url(text: str) -> bool:
    """Return whether a text is a URL that git fetches from, such as `https://...` or `user@host:path`, not a path."""
    return _REMOTE.match(text) is not None


def source_of(path_or_url: str, revision: str = "") -> indexer_pb2.Source:
    """
    Make a source of a git URL, or of the absolute path of a folder on the indexer's machine. Raises UsageError.

    A folder is indexed as it stands; with a revision it is a git repository, of which that revision is indexed.
    """
    if is_git_url(path_or_url):
        return indexer_pb2.Source(git=indexer_pb2.GitSource(url=path_or_url, revision=revision))
    if not path_or_url.startswith("/"):
        raise UsageError(f"{path_or_url}: must be a git URL, or an absolute path on the indexer's machine")
    if revision:
        return indexer_pb2.Source(git=indexer_pb2.GitSource(url=f"file://{path_or_url}", revision=revision))
    return indexer_pb2.Source(local_path=path_or_url)


class Indexes:
    """
    Calls of the indexer.

    Args:
        connection: To the indexer.
        watch_timeout_seconds: Deadline of one stream of a job's changes.
    """

    def __init__(self, connection: Connection, *, watch_timeout_seconds: float = 3600.0) -> None:
        self._connection = connection
        self._stub = indexer_pb2_grpc.IndexerServiceStub(connection.channel)
        self._watch_timeout_seconds = watch_timeout_seconds

    async def start(
        self,
        source: indexer_pb2.Source,
        *,
        repository: str = "",
        exclude: Sequence[str] = (),
        without_vectors: bool = False,
        request_id: str = "",
    ) -> Job:
        """Queue a job; an unchanged source gives a job that ends at once. Raises ClientError."""
        request = indexer_pb2.StartIndexingRequest(
            repository=repository,
            source=source,
            exclude=exclude,
            without_vectors=without_vectors,
            request_id=request_id,
        )
        return await self._connection.call(self._stub.StartIndexing, request)

    async def watch(self, job_id: str) -> AsyncGenerator[Job]:
        """Stream a job at once and after every change, until it ends; resumed after lost connections and deadlines."""
        request = indexer_pb2.WatchIndexJobRequest(job_id=job_id)
        job: Job | None = None
        cuts = 0
        while job is None or not is_final(job):
            stream = self._connection.stream(
                self._stub.WatchIndexJob, request, timeout_seconds=self._watch_timeout_seconds
            )
            try:
                async with aclosing(stream) as jobs:
                    async for job in jobs:
                        cuts = 0
                        yield job
            except ServiceUnreachable:
                cuts += 1
                if job is None or cuts > MAX_CUTS:
                    raise
            except ClientError as error:
                if job is None or error.code is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise

    async def get_job(self, job_id: str) -> Job:
        """Read one job."""
        return await self._connection.call(self._stub.GetIndexJob, indexer_pb2.GetIndexJobRequest(job_id=job_id))

    async def cancel(self, job_id: str) -> Job:
        """Ask a job to stop."""
        return await self._connection.call(self._stub.CancelIndexJob, indexer_pb2.CancelIndexJobRequest(job_id=job_id))

    async def recent_jobs(
        self, *, repository: str = "", limit: int = 10, timeout_seconds: float | None = None
    ) -> tuple[Job, ...]:
        """List the newest jobs."""
        request = indexer_pb2.ListIndexJobsRequest(repository=repository, page_size=limit)
        return tuple(
            (await self._connection.call(self._stub.ListIndexJobs, request, timeout_seconds=timeout_seconds)).jobs
        )

    async def repositories(self) -> tuple[indexer_pb2.Repository, ...]:
        """List all repositories that the caller may see, by name."""
        pages = self._connection.pages(self._stub.ListRepositories, indexer_pb2.ListRepositoriesRequest())
        return tuple([repository async for page in pages for repository in page.repositories])

    async def snapshot(self, repository: str, snapshot_id: str = "") -> indexer_pb2.Snapshot:
        """Read one snapshot, the current one by default."""
        request = indexer_pb2.GetSnapshotRequest(repository=repository, snapshot_id=snapshot_id)
        return await self._connection.call(self._stub.GetSnapshot, request)

    async def check(self, repository: str) -> indexer_pb2.CheckSnapshotResponse:
        """Check the current snapshot against the invariants that hold for every index."""
        request = indexer_pb2.CheckSnapshotRequest(repository=repository)
        return await self._connection.call(self._stub.CheckSnapshot, request)

    async def snapshots(self, repository: str) -> tuple[indexer_pb2.Snapshot, ...]:
        """List the published snapshots of a repository, newest first."""
        pages = self._connection.pages(
            self._stub.ListSnapshots, indexer_pb2.ListSnapshotsRequest(repository=repository)
        )
        return tuple([snapshot async for page in pages for snapshot in page.snapshots])

    async def revision(self, repository: str, written: str) -> str:
        """
        Complete an abbreviated commit or snapshot id from the published snapshots; return it unchanged if none matches.

        Raises:
            UsageError: if it matches several.
        """
        if len(written) < _LEAST_DIGITS:
            return written
        published = await self.snapshots(repository)
        commits = {each.commit for each in published if each.commit.startswith(written.lower())}
        found = commits or {each.snapshot_id for each in published if each.snapshot_id.startswith(written)}
        if len(found) > 1:
            raise UsageError(f"{written}: which of {', '.join(sorted(found))}? Give more of it")
        return next(iter(found), written)

    async def rollback(self, repository: str, snapshot_id: str) -> indexer_pb2.Snapshot:
        """Make an earlier snapshot the current one."""
        request = indexer_pb2.RollbackSnapshotRequest(repository=repository, snapshot_id=snapshot_id)
        return await self._connection.call(self._stub.RollbackSnapshot, request)

    async def delete_repository(self, repository: str) -> int:
        """Withdraw a repository; returns how many snapshots were removed."""
        request = indexer_pb2.DeleteRepositoryRequest(repository=repository)
        return (await self._connection.call(self._stub.DeleteRepository, request)).snapshots_removed
