"""Index metrics for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.jobs import JobState
from indexer.domain.tree import SkipReason

if TYPE_CHECKING:
    from datetime import datetime

    from common.core.clock import Clock
    from common.observability.metrics import Metrics
    from indexer.domain.jobs import Job

_STATES = tuple(state.name.lower() for state in JobState if state.final)
_RESULTS = ("parsed", "reused", *(f"skipped_{reason.name.lower()}" for reason in SkipReason))
_BUCKETS = (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600)


class PrometheusIndexMetrics:
    """Counts jobs and files."""

    def __init__(self, metrics: Metrics, clock: Clock) -> None:
        self._clock = clock
        self._builds = metrics.histogram(
            "index_build_seconds", "Time from taking a job up to its end.", {"state": _STATES}, buckets=_BUCKETS
        )
        self._files = metrics.counter("index_files", "Files that jobs met.", {"result": _RESULTS})
        self._freshness = metrics.histogram(
            "index_freshness_seconds", "Time from asking for an index to serving it.", buckets=_BUCKETS
        )
        self._waiting = metrics.gauge(
            "snapshots_waiting", "Repositories whose current snapshot is not in object storage yet."
        )
        self._uploaded = metrics.counter("snapshot_bytes_uploaded", "Bytes of layers that came to object storage.")

    def published(self, job: Job) -> None:
        """Record the time from the request for an index to its publication."""
        self._freshness.observe(_seconds(job.create_time, self._clock.now()))

    def job_ended(self, job: Job) -> None:
        """Count a job in its final state; the files of an unchanged source are not counted again."""
        if job.start_time is not None and job.end_time is not None:
            self._builds.observe(_seconds(job.start_time, job.end_time), state=job.state.name.lower())
        if job.state != JobState.SUCCEEDED or job.unchanged:
            return
        self._files.add(job.counts.files_parsed, result="parsed")
        self._files.add(job.counts.files_reused, result="reused")
        for reason, number in job.counts.skipped.items():
            self._files.add(number, result=f"skipped_{reason.name.lower()}")

    def waiting(self, repositories: int) -> None:
        """Show how many repositories wait for object storage."""
        self._waiting.set(repositories)

    def uploaded(self, number: int) -> None:
        """Count bytes of layers that were uploaded to object storage."""
        self._uploaded.add(number)


def _seconds(start: datetime, end: datetime) -> float:
    """Return the seconds between two times; 0 if the clock was set back meanwhile, as sums must not decrease."""
    return max(0.0, (end - start).total_seconds())
