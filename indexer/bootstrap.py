"""Puts the indexer together. The only place that names adapters."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack, ExitStack, contextmanager
from typing import TYPE_CHECKING

import structlog

from common.core.clock import SystemClock
from common.core.ids import RandomIds
from common.observability.metrics import Metrics
from common.rpc.lifecycle import run_until_stopped
from common.rpc.paging import PageTokens
from common.rpc.server import build_server
from indexer.adapters.code_version import code_version
from indexer.adapters.jobs.process import ProcessWorker
from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.adapters.languages.registry import languages, linkers
from indexer.adapters.metrics import PrometheusIndexMetrics
from indexer.adapters.parsing.child import Limits
from indexer.adapters.parsing.facts_cache import SqliteFactsCache
from indexer.adapters.parsing.pool import ParserPool
from indexer.adapters.sources.opener import Sources, checked_folder
from indexer.adapters.sources.remote import FetchPolicy, GitRepositories
from indexer.adapters.store.code_db import CodeDbWriter
from indexer.adapters.store.snapshots import FolderSnapshotStore
from indexer.domain.version import INDEX_VERSION
from indexer.rpc.servicer import IndexerServicer, UseCases, registration
from indexer.usecases.index_repository import IndexLimits, IndexRepository
from indexer.usecases.job_board import JobBoard
from indexer.usecases.read_facts import FactsReader
from indexer.usecases.run_jobs import JobRunner
from indexer.usecases.snapshots import DeleteRepository, Snapshots
from indexer.usecases.start_job import StartJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from common.rpc.server import ReadinessProbe
    from indexer.domain.jobs import Job
    from indexer.settings import IndexerSettings

_CHILD_CPU_SECONDS = 3600
_log = structlog.get_logger(__name__)
_FAILPOINT_EXIT = 86
_FACTS_CODE = ("indexer.adapters.languages", "indexer.domain:lexical.py", "common.core:terms.py")
_LINKING_CODE = ("indexer.domain.linking",)


async def serve(settings: IndexerSettings) -> None:
    """Run the service until it is told to stop."""
    metrics = Metrics("indexer")
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        queue = SqliteJobQueue(settings.data_dir / "indexer" / "jobs.db")
        stack.callback(queue.close)
        board = JobBoard(queue)
        runner = JobRunner(
            board,
            ProcessWorker(os.environ),
            clock,
            PrometheusIndexMetrics(metrics, clock),
            max_jobs=settings.max_jobs,
            on_defect=_log_defect,
        )
        store = snapshot_store(settings)
        usecases = UseCases(
            start=StartJob(_sources(settings), board, runner, clock, RandomIds()),
            board=board,
            runner=runner,
            snapshots=Snapshots(store, store, board),
            delete=DeleteRepository(store, queue, board, runner),
        )
        jobs = asyncio.create_task(runner.run())
        stack.push_async_callback(_ended, jobs)
        server = build_server(
            settings, [registration(IndexerServicer(usecases, PageTokens()))], metrics=metrics, ready=_runs(jobs)
        )
        await run_until_stopped(server)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def _runs(task: asyncio.Task[None]) -> ReadinessProbe:
    async def ready() -> bool:
        return not task.done()

    return ready


def _log_defect(job: Job, error: Exception) -> None:
    _log.error("job.defect", job_id=job.job_id, exc_info=error)


@contextmanager
def index_repository(settings: IndexerSettings) -> Iterator[IndexRepository]:
    """Yield the use case that makes snapshots, with its parsing processes and its cache."""
    known = languages()
    with ExitStack() as stack:
        cache = SqliteFactsCache(settings.data_dir / "indexer" / "facts.db", settings.facts_cache_mb << 20)
        stack.callback(cache.close)
        limits = Limits(settings.parse_memory_bytes, _CHILD_CPU_SECONDS)
        pool = stack.enter_context(
            ParserPool(
                known, processes=settings.parse_processes, file_seconds=settings.parse_file_seconds, limits=limits
            )
        )
        version = code_version(_FACTS_CODE)
        yield IndexRepository(
            sources=_sources(settings),
            facts=FactsReader(known, cache, pool, version=version, left_out=settings.left_out),
            linkers=linkers(),
            writer=CodeDbWriter(INDEX_VERSION),
            store=snapshot_store(settings),
            clock=SystemClock(),
            limits=IndexLimits(settings.max_file_bytes, settings.history_commits),
            identity={
                **settings.identity,
                "index": INDEX_VERSION,
                "facts": version,
                "linking": code_version(_LINKING_CODE),
            },
        )
        cache.prune()


def snapshot_store(settings: IndexerSettings) -> FolderSnapshotStore:
    """Return the store of published snapshots."""
    return FolderSnapshotStore(settings.data_dir / "repositories", SystemClock(), _failpoint(settings.failpoint))


def _sources(settings: IndexerSettings) -> Sources:
    policy = FetchPolicy(
        allowed_hosts=settings.git_allowed_hosts,
        file_roots=tuple(root.resolve() for root in settings.roots) if settings.git_allow_file else (),
        ca_file=settings.git_ca_file,
        seconds=settings.git_fetch_seconds,
    )
    repositories = GitRepositories(settings.data_dir / "git", policy, checked_folder)
    return Sources(settings.roots, settings.exclude, repositories)


def _failpoint(name: str) -> Callable[[str], None]:
    def reached(step: str) -> None:
        if step == name:
            os._exit(_FAILPOINT_EXIT)

    return reached
