"""What operators see of the classifier: metrics, and one event for each classification."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from classifier.domain.values import Engine, Mode

if TYPE_CHECKING:
    from common.observability.metrics import Metrics

_log = structlog.get_logger(__name__)
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0)


class ClassifierMetrics:
    """Counts classifications by mode and engine."""

    def __init__(self, metrics: Metrics) -> None:
        labels = {
            "mode": [mode.name.lower() for mode in Mode],
            "engine": [engine.name.lower() for engine in Engine],
        }
        self._count = metrics.counter("classifications", "Questions classified.", labels)
        self._duration = metrics.histogram(
            "classification_duration_seconds", "Time to classify a question.", labels, buckets=_BUCKETS
        )
        self._fallbacks = metrics.counter(
            "classification_fallbacks", "Questions that the rules decided because the model did not."
        )

    def classified(self, mode: Mode, engine: Engine, seconds: float) -> None:
        """Count one classification with the time that it took."""
        labels = {"mode": mode.name.lower(), "engine": engine.name.lower()}
        self._count.add(**labels)
        self._duration.observe(seconds, **labels)
        _log.info("classification.made", **labels, milliseconds=round(seconds * 1000, 3))

    def fell_back(self) -> None:
        """Count one question that the rules decided because the model did not."""
        self._fallbacks.add()
        _log.warning("classification.fell_back")
