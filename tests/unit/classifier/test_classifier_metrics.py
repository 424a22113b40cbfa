"""What operators see of the classifier."""

from __future__ import annotations

from classifier.adapters.metrics import ClassifierMetrics
from classifier.domain.values import Engine, Mode
from common.observability.metrics import Metrics


def test_classifications_are_counted_by_mode_and_engine() -> None:
    """Counter, histogram and fallbacks carry closed labels in lower case."""
    metrics = Metrics("classifier")
    meter = ClassifierMetrics(metrics)

    meter.classified(Mode.DIAGNOSTIC, Engine.RULES, 0.0004)
    meter.fell_back()

    text = metrics.text()
    assert 'cgrag_classifications_total{engine="rules",mode="diagnostic"} 1.0' in text
    assert 'cgrag_classification_duration_seconds_count{engine="rules",mode="diagnostic"} 1.0' in text
    assert "cgrag_classification_fallbacks_total 1.0" in text
