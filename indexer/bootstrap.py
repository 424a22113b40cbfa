"""Creates and connects the objects of the service; `indexer.worker.bootstrap` does so for the process of one job."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack, closing
from functools import partial
from typing import TYPE_CHECKING

import structlog

from common.core.clock import SystemClock
from common.core.ids import RandomIds
from common.model.metrics import EndpointMetrics
from common.model.redaction import open_redact
from common.observability.metrics import Metrics
from common.rpc.access.opening import open_access
from common.rpc.paging import PageTokens
from common.rpc.serving.lifecycle import run_beside, run_until_stopped
from common.rpc.serving.server import build_server
from indexer.adapters.findings.archive import SqliteFindingsArchive
from indexer.adapters.findings.core_code import SqliteCoreCode
from indexer.adapters.findings.import_process import ProcessFindingsImporter
from indexer.adapters.findings.layer import JsonFindingsLayer
from indexer.adapters.jobs.process import ProcessWorker
from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.adapters.metrics import PrometheusIndexMetrics
from indexer.adapters.precise.archive import SqlitePreciseArchive
from indexer.adapters.precise.process import ProcessPreciseImporter
from indexer.adapters.sources.clones import CloneFolder
from indexer.adapters.sources.opener import open_sources
from indexer.adapters.store.core.core_check import check_core
from indexer.adapters.store.core.opening import open_store, open_uploads
from indexer.adapters.store.ownership import owned
from indexer.adapters.store.removals import RemovalNotes
from indexer.adapters.store.scratch import FolderScratch
from indexer.adapters.vectors.erasing import ServerVectorEraser
from indexer.domain.jobs import JobState
from indexer.rpc.rules import RULES
from indexer.rpc.servicer import IndexerServicer, UseCases, registration
from indexer.usecases.bring_snapshots import BringSnapshots
from indexer.usecases.check_snapshot import CheckSnapshot
from indexer.usecases.findings.apply_import import ApplyFindingsImport
from indexer.usecases.findings.list_findings import ListFindings
from indexer.usecases.findings.publish import FindingsPublisher
from indexer.usecases.findings.receive import ImportFindings
from indexer.usecases.indexing.current_set import is_overtaken
from indexer.usecases.indexing.list_changed_files import ListChangedFiles
from indexer.usecases.jobs.board import JobBoard
from indexer.usecases.jobs.remove_repository import Belongings, RemoveRepository
from indexer.usecases.jobs.run import JobRunner
from indexer.usecases.jobs.start import StartJob
from indexer.usecases.jobs.tend import TendJobs
from indexer.usecases.precise.list_imports import ListPrecise
from indexer.usecases.precise.receive import ImportPrecise
from indexer.usecases.precise.withdraw import WithdrawPrecise
from indexer.usecases.snapshots import Snapshots

if TYPE_CHECKING:
    from common.core.errors import AppError
    from indexer.adapters.store.bucket.uploads import SnapshotUploads
    from indexer.adapters.store.snapshots import FolderSnapshotStore
    from indexer.domain.jobs import Job
    from indexer.settings import IndexerSettings
    from indexer.usecases.jobs.remove_repository import RepositoryData

_REMOVALS_SECONDS = 60.0
_AGAIN_SECONDS = 1.0
_log = structlog.get_logger(__name__)


async def serve(settings: IndexerSettings) -> None:
    """Run the service until the process is stopped."""
    metrics = Metrics("indexer")
    clock = SystemClock()
    access = open_access(settings, metrics, RULES)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(owned(settings.data_dir, wait_seconds=settings.owner_wait_seconds))
        queue = SqliteJobQueue(settings.own_dir / "jobs.db")
        stack.callback(queue.close)
        board = JobBoard(queue, access)
        meter = PrometheusIndexMetrics(metrics, clock)
        scratch = FolderScratch(settings.scratch_dir)
        worker = ProcessWorker(os.environ, EndpointMetrics(metrics, ()).redacted, partial(_tidy_scratch, scratch))
        stack.callback(worker.close)
        uploads = open_uploads(settings)
        store = open_store(settings, uploads)
        runner, sources = _runner(board, worker, store, meter, settings), open_sources(settings)
        await asyncio.to_thread(_tidy, store, scratch)
        archive = stack.enter_context(closing(SqliteFindingsArchive(settings.findings_file)))
        precise = SqlitePreciseArchive(settings.precise_file)
        stack.callback(precise.close)
        importer = ProcessPreciseImporter(os.environ, scratch, seconds=settings.precise_seconds)
        snapshots = Snapshots(store, store, board, access)
        publisher = FindingsPublisher(store, JsonFindingsLayer(), SqliteCoreCode(), archive, clock)
        take = ApplyFindingsImport(store, SqliteCoreCode(), archive, archive, publisher)
        data = _everywhere(settings, RemovalNotes(settings.data_dir / "repositories", clock), archive, precise, uploads)
        belongings = Belongings(store, data, CloneFolder(settings.data_dir / "git"), queue)
        removals = RemoveRepository(belongings, board, runner, _log_left, access)
        usecases = UseCases(
            start=StartJob(sources, board, runner, store, clock, RandomIds(), removals, access),
            board=board,
            runner=runner,
            snapshots=snapshots,
            remove=removals,
            import_findings=ImportFindings(snapshots, ProcessFindingsImporter(os.environ, take).run),
            import_precise=ImportPrecise(snapshots, importer, max_bytes=settings.precise_max_mb << 20),
            list_precise=ListPrecise(snapshots, store, SqliteCoreCode(), precise),
            withdraw_precise=WithdrawPrecise(snapshots, precise, importer),
            list_findings=ListFindings(snapshots, publisher),
            list_changed_files=ListChangedFiles(snapshots, board, store, SqliteCoreCode(), sources),
            check=CheckSnapshot(snapshots, store, check_core),
        )
        jobs = TendJobs(removals, runner, every_seconds=_AGAIN_SECONDS, on_failure=_log_failure)
        run_beside(jobs.run(), stack)
        run_beside(removals.keep_finishing(_REMOVALS_SECONDS), stack)
        if uploads is not None:
            _bring_beside(uploads, BringSnapshots(uploads, store, meter, _log_waiting), stack)
        services = [registration(IndexerServicer(usecases, PageTokens()), max_calls=settings.max_concurrent_calls)]
        build = partial(build_server, settings, services, metrics=metrics, access=access, open_redact=open_redact)
        await run_until_stopped(build(ready=jobs.works))


def _bring_beside(uploads: SnapshotUploads, bring: BringSnapshots, stack: AsyncExitStack) -> None:
    run_beside(bring.run(), stack)
    run_beside(uploads.claim.keep(), stack)
    stack.push_async_callback(asyncio.to_thread, uploads.close)


def _everywhere(settings: IndexerSettings, *places: RepositoryData | None) -> tuple[RepositoryData, ...]:
    vectors = ServerVectorEraser(settings) if settings.qdrant_host else None  # others are files of snapshots
    return tuple(each for each in (*places, vectors) if each is not None)


def _runner(
    board: JobBoard,
    worker: ProcessWorker,
    store: FolderSnapshotStore,
    metrics: PrometheusIndexMetrics,
    settings: IndexerSettings,
) -> JobRunner:
    return JobRunner(
        board,
        worker,
        SystemClock(),
        metrics,
        max_jobs=settings.max_jobs,
        job_seconds=settings.job_seconds or None,
        provisional_seconds=settings.provisional_seconds,
        overtaken=partial(is_overtaken, store),
        on_end=_log_end,
        on_defect=_log_defect,
    )


def _tidy(store: FolderSnapshotStore, scratch: FolderScratch) -> None:
    """Remove the unfinished files of killed workers; the service must start even if the disk is full or damaged."""
    try:
        for name, error in store.tidy().items():
            _log.warning("tidying.passed_by", folder=name, problem=str(error))
    except OSError as error:
        _log.warning("tidying.passed_by", folder="repositories", problem=str(error))
    _tidy_scratch(scratch)


def _tidy_scratch(scratch: FolderScratch) -> None:
    try:
        scratch.sweep()
    except OSError as error:
        _log.warning("tidying.passed_by", folder="scratch", problem=str(error))


def _log_failure(error: Exception) -> None:
    _log.error("jobs.interrupted", error_type=type(error).__name__, error=str(error), exc_info=error)


def _log_end(job: Job) -> None:
    log = _log.warning if job.state == JobState.FAILED else _log.info
    log(
        "job.ended",
        job_id=job.job_id,
        request_id=job.request_id,
        repository=job.spec.repository,
        state=job.state.name.lower(),
        seconds=round((job.end_time - job.start_time).total_seconds(), 3) if job.start_time and job.end_time else 0.0,
        snapshot_id=job.snapshot_id,
        unchanged=job.unchanged,
        reason=job.error_reason,
        problem=job.error,
    )


def _log_defect(job: Job, error: Exception) -> None:
    _log.error("job.defect", job_id=job.job_id, exc_info=error)


def _log_left(repository: str, error: AppError) -> None:
    _log.warning("removal.left", repository=repository, reason=error.reason, problem=error.message)


def _log_waiting(repository: str, error: Exception) -> None:
    # Only errors of object storage have `detail`; their class is not imported here, as that would load its client.
    _log.warning("snapshot.waits", repository=repository, problem=str(error), detail=getattr(error, "detail", ""))
