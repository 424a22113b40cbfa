"""What the indexer tells Prometheus."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

from common.observability.metrics import Metrics
from indexer.adapters.metrics import PrometheusIndexMetrics
from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource
from indexer.domain.snapshots.snapshot import Counts
from indexer.domain.tree import SkipReason
from tests.fakes.clock import FakeClock


def test_jobs_files_and_freshness_are_counted() -> None:
    """A job counts its time and files; an unchanged one no files; freshness runs from the request to serving."""
    metrics, clock = Metrics("indexer"), FakeClock()
    counting = PrometheusIndexMetrics(metrics, clock)
    job = Job("job_1", JobSpec("r", LocalSource("/x")), clock.now()).started(clock.now())
    clock.advance(3)
    counting.published(job)
    counts = Counts(files_parsed=4, files_reused=2, skipped={SkipReason.BINARY: 1})
    done = dataclasses.replace(job, counts=counts).ended(JobState.SUCCEEDED, job.create_time + timedelta(seconds=4))
    counting.job_ended(done)
    counting.job_ended(dataclasses.replace(done, unchanged=True))
    text = metrics.text()

    assert 'cgrag_index_files_total{result="parsed"} 4.0' in text
    assert 'cgrag_index_files_total{result="reused"} 2.0' in text
    assert 'cgrag_index_files_total{result="skipped_binary"} 1.0' in text
    assert 'cgrag_index_build_seconds_count{state="succeeded"} 2.0' in text
    assert "cgrag_index_freshness_seconds_sum 3.0" in text


def test_a_clock_that_is_set_back_makes_no_sum_smaller() -> None:
    """To Prometheus a counter that falls has begun anew."""
    metrics, clock = Metrics("indexer"), FakeClock()
    counting = PrometheusIndexMetrics(metrics, clock)
    job = Job("job_1", JobSpec("r", LocalSource("/x")), clock.now()).started(clock.now())
    clock.jump(-3600)
    counting.published(job)
    counting.job_ended(job.ended(JobState.SUCCEEDED, clock.now()))
    text = metrics.text()

    assert "cgrag_index_freshness_seconds_sum 0.0" in text
    assert 'cgrag_index_build_seconds_sum{state="succeeded"} 0.0' in text
