"""
Prometheus metrics whose labels have declared values only, in one injected registry.

A service defines its metrics in `<service>/adapters/metrics.py`: a class that takes `Metrics`, makes each metric once
in its constructor and implements the service's own port, so that domain and use cases never see Prometheus:

    class AnswerMetrics:
        def __init__(self, metrics: Metrics) -> None:
            self._passes = metrics.histogram(
                "answer_passes", "Passes of an answer.", {"mode": values_of(Mode)}, buckets=(1, 2, 3, 4)
            )

        def answered(self, passes: int, mode: Mode) -> None:
            self._passes.observe(passes, mode=mode.value)

`bootstrap` makes the one `Metrics` of the process and passes it to `build_server` and to such classes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import prometheus_client
from opentelemetry import trace
from prometheus_client import CollectorRegistry

from common.core.version import VERSION

if TYPE_CHECKING:
    from enum import Enum

PREFIX = "cgrag_"
OTHER = "other"
SECONDS_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

# Each label, and the only values that it may take.
Labels: TypeAlias = Mapping[str, Collection[str]]
NO_LABELS: Labels = MappingProxyType({})


def values_of(enum: type[Enum]) -> tuple[str, ...]:
    """Return the values of an enum of texts, to be used as those of a label."""
    return tuple(str(member.value) for member in enum)


class _Labels:
    """The labels of one metric; a value that was not declared counts as "other", so series cannot grow."""

    def __init__(self, allowed: Labels) -> None:
        self.names = tuple(allowed)
        self._allowed = {name: tuple(dict.fromkeys(values)) for name, values in allowed.items()}
        # Child metrics by the given labels; only for declared values, so that the cache stays small.
        self._series: dict[tuple[tuple[str, str], ...], Any] = {}

    def series(self, metric: Any, given: Mapping[str, str]) -> Any:
        """Return the child metric of these label values; always the same object."""
        key = tuple(given.items())
        found = self._series.get(key)
        if found is None:
            checked = self.check(given)
            found = metric.labels(**checked) if checked else metric
            if checked == given:
                self._series[key] = found
        return found

    def check(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the label values to record under: "other" for undeclared ones. Raises ValueError for other names."""
        if given.keys() != self._allowed.keys():
            raise ValueError(f"labels are {sorted(self._allowed)}, not {sorted(given)}")
        return {name: value if value in self._allowed[name] else OTHER for name, value in given.items()}

    def preinitialise(self, metric: Any) -> None:
        """Make the series of a single label exist before they count, so that rates start at zero."""
        # With several labels only some combinations can occur; the owner of the metric adds 0 to those.
        if len(self._allowed) == 1:
            for value in next(iter(self._allowed.values())):
                metric.labels(value)


class Counter:
    """A counter; made by `Metrics.counter`."""

    def __init__(self, metric: prometheus_client.Counter, labels: _Labels) -> None:
        self._metric = metric
        self._labels = labels

    def add(self, amount: float = 1, /, **labels: str) -> None:
        """Add to the count; `amount` is 0 or above."""
        self._labels.series(self._metric, labels).inc(amount, exemplar=_exemplar())


class Gauge:
    """A gauge; made by `Metrics.gauge`."""

    def __init__(self, metric: prometheus_client.Gauge, labels: _Labels) -> None:
        self._metric = metric
        self._labels = labels

    def set(self, value: float, /, **labels: str) -> None:
        """Set the value."""
        self._labels.series(self._metric, labels).set(value)

    def add(self, amount: float, /, **labels: str) -> None:
        """Add to the value; a negative amount lowers it."""
        self._labels.series(self._metric, labels).inc(amount)


class Histogram:
    """A histogram; made by `Metrics.histogram`."""

    def __init__(self, metric: prometheus_client.Histogram, labels: _Labels) -> None:
        self._metric = metric
        self._labels = labels

    def begin(self, **labels: str) -> None:
        """Make a series exist before it counts, so that rates start at zero."""
        self._labels.series(self._metric, labels)

    def observe(self, value: float, /, **labels: str) -> None:
        """Record one value."""
        self._labels.series(self._metric, labels).observe(value, exemplar=_exemplar())


class Metrics:
    """
    The metrics of one process.

    Args:
        service: Name of the service, as in its section of the settings; a label of `build_info`.
        version: Version of the software, for `build_info`.
    """

    def __init__(self, service: str, version: str = VERSION) -> None:
        self.service = service
        self.registry = CollectorRegistry()
        # The `_created` series are off: they double the number of series and no panel uses them.
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no annotations
        prometheus_client.ProcessCollector(registry=self.registry)
        build = self.gauge("build_info", "What runs here; always 1.", {"service": (service,), "version": (version,)})
        build.set(1, service=service, version=version)

    def counter(self, name: str, doc: str, labels: Labels = NO_LABELS, *, prefix: str = PREFIX) -> Counter:
        """Define a counter; its name gets the prefix and, from Prometheus, the suffix `_total`."""
        allowed = _Labels(labels)
        metric = prometheus_client.Counter(prefix + name, doc, allowed.names, registry=self.registry)
        allowed.preinitialise(metric)
        return Counter(metric, allowed)

    def gauge(self, name: str, doc: str, labels: Labels = NO_LABELS) -> Gauge:
        """Define a gauge."""
        allowed = _Labels(labels)
        return Gauge(prometheus_client.Gauge(PREFIX + name, doc, allowed.names, registry=self.registry), allowed)

    def histogram(
        self,
        name: str,
        doc: str,
        labels: Labels = NO_LABELS,
        *,
        buckets: Collection[float] = SECONDS_BUCKETS,
        prefix: str = PREFIX,
    ) -> Histogram:
        """Define a histogram; buckets are upper bounds, rising, the infinite one added."""
        allowed = _Labels(labels)
        metric = prometheus_client.Histogram(
            prefix + name, doc, allowed.names, registry=self.registry, buckets=tuple(buckets)
        )
        allowed.preinitialise(metric)
        return Histogram(metric, allowed)

    def text(self) -> str:
        """Return all metrics in Prometheus' text format."""
        return prometheus_client.generate_latest(self.registry).decode()


def _exemplar() -> dict[str, str] | None:
    context = trace.get_current_span().get_span_context()
    return {"trace_id": trace.format_trace_id(context.trace_id)} if context.trace_flags.sampled else None
