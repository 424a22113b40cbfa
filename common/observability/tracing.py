"""Traces over W3C trace context; spans cost little and go nowhere until an exporter is configured."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import grpc
from opentelemetry import context, trace
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from common.core.addresses import UNPROXIED_GRPC, is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace.export import SpanExporter

_PROPAGATOR = TraceContextTextMapPropagator()
_TRACER = trace.get_tracer("cgrag")
# The remaining spans are sent at exit; an unreachable collector must not delay that.
_EXPORT_SECONDS = 2
# Codes that mark a server span as failed by OpenTelemetry's conventions; all others are the caller's faults.
_FAULTS = frozenset(
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)


def configure(service: str, *, exporter: SpanExporter | None = None) -> None:
    """
    Record the spans of this process, once; the trace ids go into logs and exemplars even without an exporter.

    Args:
        service: Name of the service on its spans.
        exporter: Where spans go; None keeps their ids only.
    """
    if exporter is None:
        return
    from opentelemetry.sdk.resources import Resource  # slow to load, few have an exporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": f"cgrag-{service}"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def open_otlp_exporter(endpoint: str) -> SpanExporter:
    """
    Return an exporter that sends spans over OTLP/gRPC.

    Args:
        endpoint: `http://host:4317`, without TLS, or `https://host:4317`.
    """
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # slow to load, few have one

    # A proxy of the environment is for the way out, not for a collector on this machine.
    direct = (UNPROXIED_GRPC,) if is_loopback(urlsplit(endpoint).hostname) else None
    return OTLPSpanExporter(endpoint=endpoint, timeout=_EXPORT_SECONDS, channel_options=direct)  # type: ignore[arg-type]  # gRPC takes numbers, too


def record(name: str, seconds: float, **attributes: str | int | float | bool) -> None:
    """Record a span of the current trace that ends now and took `seconds`; attributes must not hold texts of users."""
    end = time.time_ns()
    _TRACER.start_span(name, attributes=attributes, start_time=end - int(seconds * 1e9)).end(end)


def start_server_span(name: str, metadata: Mapping[str, str]) -> trace.Span:
    """Return a span for serving a call; it belongs to the trace in the call's metadata, else to a new one."""
    parent = _PROPAGATOR.extract(metadata)
    return _identified(_TRACER.start_span(name, context=parent, kind=SpanKind.SERVER))


def within(span: trace.Span) -> AbstractContextManager[trace.Span]:
    """Return a block that runs as a span and ends it; exceptions are not recorded, since their text may be any."""
    return trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False)


def tell_outcome(code: grpc.StatusCode) -> None:
    """Record the status code of a call on its span, which is the current one of this task."""
    span = trace.get_current_span()
    span.set_attribute("rpc.grpc.status_code", code.value[0])
    if code in _FAULTS:
        span.set_status(trace.StatusCode.ERROR, code.name)


def stay_within(span: trace.Span) -> None:
    """Make a span that is not recorded the current one for the rest of this task."""
    context.attach(trace.set_span_in_context(span))


def _identified(span: trace.Span) -> trace.Span:
    """Return the span if it is recorded, else one with a span id of its own, which unrecorded spans lack."""
    if span.is_recording():
        return span
    parent = span.get_span_context()
    trace_id = parent.trace_id if parent.is_valid else _new_id(128)
    flags = parent.trace_flags if parent.is_valid else trace.TraceFlags(trace.TraceFlags.SAMPLED)
    state = parent.trace_state if parent.is_valid else None
    # A recording span without an exporter would cost 4 kB for each open stream.
    own = trace.SpanContext(trace_id, _new_id(64), False, flags, state)
    return trace.NonRecordingSpan(own)


def _new_id(bits: int) -> int:
    """Return a random id of `bits` bits; zero is invalid in W3C trace context."""
    return secrets.randbits(bits) or 1


def outgoing_metadata() -> dict[str, str]:
    """Return the metadata that carries the current trace to another service; empty outside of traces."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier
