"""Does one job for the service: reads what to index from stdin and writes events to stdout, one JSON value a line."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
from itertools import islice
from typing import TYPE_CHECKING

from common.core.errors import AppError
from indexer.adapters.jobs.plain import decode_spec, encode_event
from indexer.worker.bootstrap import index_repository

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.domain.jobs import JobSpec, WorkEvent
    from indexer.domain.snapshots.snapshot import SnapshotSet
    from indexer.settings import IndexerSettings


_MAX_FAILURES = 20
"""Failures of files that are logged of one job at most."""
_WRITING = threading.Lock()
"""Held while a line is written: threads that redact texts for models write lines, too, besides the job's thread."""


class _Lines:
    """Writes events to stdout."""

    def tell(self, event: WorkEvent) -> None:
        _write(encode_event(event))


def run(settings: IndexerSettings) -> int:
    """
    Do the job and return the exit code; an AppError is written as an event.

    Everything that does not depend on the job is prepared before the job is read from stdin. If the service ends
    before it sends a job, nothing is done.
    """
    try:
        with index_repository(settings) as indexer:
            indexer.prepare()
            line = sys.stdin.readline()
            if not line:
                return 0
            spec = decode_spec(json.loads(line))
            threading.Thread(target=end_with_service, daemon=True).start()
            outcome = indexer.run(spec, _Lines())
        _add_layers(settings, spec, outcome.snapshot, outcome.failures)
    except AppError as error:
        _write({"error": error.message, "reason": error.reason})
    return 0


def _add_layers(settings: IndexerSettings, spec: JobSpec, snapshot: SnapshotSet, failures: Mapping[str, str]) -> None:
    # Imported only here: an edit is to be published without waiting for these imports.
    import structlog

    from common.observability import logging
    from indexer.worker.later_layers import add_findings, add_vectors
    from indexer.worker.precise import precise_publisher

    logging.configure("indexer", level=settings.log_level, muted=settings.log_muted)
    structlog.contextvars.bind_contextvars(repository=spec.repository)
    for language, tiers in snapshot.counts.cut.items():
        tiers_cut = [tier.name for tier in tiers]
        structlog.get_logger(__name__).warning("linking.cut", language=language, tiers=tiers_cut)
    if failures:
        first = dict(islice(failures.items(), _MAX_FAILURES))
        structlog.get_logger(__name__).warning("indexing.failed", failures=len(failures), first=first)
    with precise_publisher(settings) as precise:
        snapshot = precise.run(snapshot, _Lines())
    gc.freeze()  # garbage collection during embedding need not traverse the objects of indexing
    gc.enable()
    with add_findings(settings) as findings:
        snapshot = findings.run(snapshot, _Lines())
    if settings.enrichment:
        from indexer.worker.enriching import add_enrichment  # its client takes a second to load

        with add_enrichment(settings, _tell_redacted) as enrichment:
            snapshot = enrichment.run(snapshot, _Lines())
    if not spec.without_vectors:
        with add_vectors(settings, _tell_redacted) as vectors:
            if vectors is not None:
                vectors.run(snapshot, _Lines())


def _tell_redacted(secret_class: str) -> None:
    _write({"redacted": secret_class})


def _write(message: dict[str, object]) -> None:
    with _WRITING:
        sys.stdout.write(f"{json.dumps(message)}\n")
        sys.stdout.flush()


def end_with_service() -> None:
    """Wait until the service closes the pipe or dies, then kill this process and its children."""
    sys.stdin.read()
    os.killpg(os.getpgrp(), signal.SIGKILL)
