"""The retriever's metrics in Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome
from common.observability import tracing
from retriever.domain.evidence.piece import ContextSource

if TYPE_CHECKING:
    from collections.abc import Collection

    from common.observability.metrics import Metrics

_TOKEN_BUCKETS = (100, 250, 500, 1000, 1500, 2000, 3000, 4000, 5500, 8000)
_STAGE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_FETCHES = ("completed", "damaged", "failed")
_FAILURES = ("damaged", "unsupported", "not_found", "not_ready")


class RetrieverMetrics:
    """
    Implements `Meter`.

    Args:
        stages: Names of all stages: the label's only values.
    """

    def __init__(self, metrics: Metrics, stages: Collection[str]) -> None:
        self._stage = metrics.histogram(
            "stage_duration_seconds",
            "Time of one stage of a service.",
            {"service": ("retriever",), "stage": tuple(stages)},
            buckets=_STAGE_BUCKETS,
        )
        # The names differ from the orchestrator's: a sum over both services would count each gap and token twice.
        self._gaps = metrics.counter(
            "retrieval_gaps",
            "Gaps by outcome, of all callers.",
            {"outcome": tuple(each.name.lower() for each in GapOutcome if each is not GapOutcome.UNSPECIFIED)},
        )
        self._tokens = metrics.histogram(
            "retrieval_context_tokens",
            "Tokens of evidence in one response, of all callers.",
            {"source": tuple(each.name.lower() for each in ContextSource)},
            buckets=_TOKEN_BUCKETS,
        )
        self._failures = metrics.counter(
            "snapshot_load_failures", "Snapshots that could not be loaded.", {"reason": _FAILURES}
        )
        self._fetched = metrics.counter(
            "snapshot_layers_fetched", "Layers requested from object storage, by outcome.", {"outcome": _FETCHES}
        )
        self._bytes = metrics.counter("snapshot_bytes_fetched", "Bytes of layers that came from object storage.")
        self._evicted = metrics.counter("snapshot_evictions", "Snapshots evicted from the cache.")
        self._held = metrics.gauge("snapshot_cache_bytes", "Size of the cache of snapshots.")
        self._away = metrics.counter("object_store_failures", "Failed polls of object storage for new snapshots.")
        self._lost = metrics.counter("decision_log_failures", "Decisions that could not be written to the log.")

    def stage_took(self, stage: str, seconds: float) -> None:
        """Note the time of one stage."""
        self._stage.observe(seconds, service="retriever", stage=stage)
        tracing.record(f"stage.{stage}", seconds)

    def gap_ended(self, outcome: str) -> None:
        """Count one gap by its outcome, lower case."""
        self._gaps.add(outcome=outcome)

    def tokens_supplied(self, source: str, tokens: int) -> None:
        """Note the tokens of one response that came from one source, lower case."""
        self._tokens.observe(tokens, source=source)

    def layer_fetched(self, outcome: str) -> None:
        """Count one layer requested from object storage, by outcome."""
        self._fetched.add(outcome=outcome)

    def bytes_fetched(self, number: int) -> None:
        """Count bytes that came from object storage."""
        self._bytes.add(number)

    def evicted(self) -> None:
        """Count one set that was evicted to make space."""
        self._evicted.add()

    def cache_holds(self, number: int) -> None:
        """Set the size of the cache of snapshots, in bytes."""
        self._held.set(number)

    def object_store_failed(self) -> None:
        """Count one failed poll of object storage."""
        self._away.add()

    def decisions_lost(self) -> None:
        """Count one addition to the decision log that was dropped."""
        self._lost.add()

    def load_failed(self, reason: str) -> None:
        """Count one snapshot that could not be loaded."""
        self._failures.add(reason=reason)
