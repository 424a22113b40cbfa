"""Indexes a folder or git URL that is named on the command line, and shows the progress."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from common.core.errors import AppError
from indexer.domain.jobs import GitSource, JobSpec, LocalSource, Progressed
from indexer.worker.bootstrap import index_repository

if TYPE_CHECKING:
    from indexer.domain.jobs import WorkEvent
    from indexer.settings import IndexerSettings
    from indexer.usecases.indexing.index_repository import IndexingResult


_MAX_FAILURES = 20


class _PhaseLines:
    """Prints each phase once, with its size, on stderr."""

    def __init__(self) -> None:
        self._phase = 0

    def tell(self, event: WorkEvent) -> None:
        if isinstance(event, Progressed) and event.progress.phase != self._phase:
            self._phase = event.progress.phase
            sys.stderr.write(f"{event.progress.phase.name.lower()} {event.progress.total or ''}\n")


def run(settings: IndexerSettings, source: str, revision: str, repository: str) -> int:
    """Index a folder or git URL, print the outcome as JSON and return the exit code."""
    is_url = "://" in source or (":" in source and not Path(source).exists())
    place = GitSource(source, revision) if is_url else LocalSource(str(Path(source).absolute()))
    try:
        with index_repository(settings) as indexer:
            outcome = indexer.run(JobSpec(repository, place), _PhaseLines())
    except AppError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    for name, reason in islice(outcome.failures.items(), _MAX_FAILURES):
        sys.stderr.write(f"failed {name}: {reason}\n")
    sys.stdout.write(f"{json.dumps(_summary(outcome))}\n")
    return 0


def _summary(outcome: IndexingResult) -> dict[str, object]:
    counts = outcome.counts
    return {
        "snapshot_id": outcome.snapshot.snapshot_id,
        "unchanged": outcome.unchanged,
        "files": counts.files,
        "lines": counts.lines,
        "symbols": counts.symbols,
        "edges": counts.edges,
        "docs": counts.docs,
        "files_parsed": counts.files_parsed,
        "files_reused": counts.files_reused,
        "cut": {language: [tier.name for tier in tiers] for language, tiers in counts.cut.items()},
        "skipped": {reason.name.lower(): number for reason, number in counts.skipped.items()},
        "seconds": {phase.name.lower(): round(seconds, 3) for phase, seconds in outcome.seconds.items()},
    }
