"""Traces over W3C trace context; spans cost little and go nowhere until an exporter is configured."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from common.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PROPAGATOR = TraceContextTextMapPropagator()
_TRACER = trace.get_tracer("cgrag")


def configure(service: str, *, exporter: SpanExporter | None = None) -> None:
    """
    Record the spans of this process, once; the trace ids go into logs and exemplars even without an exporter.

    Args:
        service: Name of the service on its spans.
        exporter: Where spans go; None keeps their ids only.
    """
    provider = TracerProvider(resource=Resource.create({"service.name": f"cgrag-{service}"}))
    if exporter is not None:
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def open_otlp_exporter(endpoint: str) -> SpanExporter:
    """
    Return an exporter that sends spans over OTLP/gRPC.

    Args:
        endpoint: `http://host:4317`.

    Raises:
        StartupError: if the optional package is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # type: ignore[import-not-found]
            OTLPSpanExporter,  # the package is optional, so it is imported where it is asked for
        )
    except ImportError as error:
        raise StartupError(
            "an OTLP endpoint is set but its exporter is missing:"
            " install opentelemetry-exporter-otlp-proto-grpc or unset otlp_endpoint"
        ) from error
    exporter: SpanExporter = OTLPSpanExporter(endpoint=endpoint)
    return exporter


@contextmanager
def span(name: str, **attributes: str | int | float | bool) -> Iterator[trace.Span]:
    """Run a block as a span within the current trace; attributes never hold text of users or of source."""
    with _TRACER.start_as_current_span(name, attributes=attributes) as current:
        yield current


@contextmanager
def server_span(name: str, metadata: Mapping[str, str]) -> Iterator[trace.Span]:
    """Run the serving of a call as a span of the trace that its metadata names, else of a new one."""
    parent = _PROPAGATOR.extract(metadata)
    with _TRACER.start_as_current_span(name, context=parent, kind=SpanKind.SERVER) as current:
        yield current


def outgoing_metadata() -> dict[str, str]:
    """Return the metadata that carries the current trace to another service; empty outside of traces."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier
