"""Traces over W3C trace context; spans cost little and go nowhere until an exporter is configured."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from opentelemetry import context, trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from common.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

_PROPAGATOR = TraceContextTextMapPropagator()
_IDS = RandomIdGenerator()
_TRACER = trace.get_tracer("cgrag")


def configure(service: str, *, exporter: SpanExporter | None = None) -> None:
    """
    Record the spans of this process, once; the trace ids go into logs and exemplars even without an exporter.

    Args:
        service: Name of the service on its spans.
        exporter: Where spans go; None keeps their ids only.
    """
    if exporter is None:
        return
    provider = TracerProvider(resource=Resource.create({"service.name": f"cgrag-{service}"}))
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
    with trace.use_span(_identified(_TRACER.start_span(name, attributes=attributes)), end_on_exit=True) as current:
        yield current


def start_server_span(name: str, metadata: Mapping[str, str]) -> trace.Span:
    """Return a span for the serving of a call, of the trace that its metadata names or else of a new one."""
    parent = _PROPAGATOR.extract(metadata)
    return _identified(_TRACER.start_span(name, context=parent, kind=SpanKind.SERVER))


def within(span: trace.Span) -> AbstractContextManager[trace.Span]:
    """Return a block that runs as a span, and ends it with how it ended itself."""
    return trace.use_span(span, end_on_exit=True)


def stay_within(span: trace.Span) -> None:
    """Run the rest of this task as a span that nobody records."""
    context.attach(trace.set_span_in_context(span))


def _identified(span: trace.Span) -> trace.Span:
    """Return a span with an identity of its own; the one that comes in lacks it where nothing is recorded."""
    if span.is_recording():
        return span
    parent = span.get_span_context()
    trace_id = parent.trace_id if parent.is_valid else _IDS.generate_trace_id()
    flags = parent.trace_flags if parent.is_valid else trace.TraceFlags(trace.TraceFlags.SAMPLED)
    state = parent.trace_state if parent.is_valid else None
    # One that records what nobody gets would take 4 kB more of each open stream.
    own = trace.SpanContext(trace_id, _IDS.generate_span_id(), False, flags, state)
    return trace.NonRecordingSpan(own)


def outgoing_metadata() -> dict[str, str]:
    """Return the metadata that carries the current trace to another service; empty outside of traces."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier
