"""Logs, metrics and traces."""

from __future__ import annotations

import asyncio
import io
import json
import logging as stdlib_logging
import socket
import threading
import urllib.request
import warnings
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest
import structlog

from common.core.errors import StartupError
from common.observability import logging, tracing
from common.observability.metrics import Metrics, values_of
from common.observability.metrics_endpoint import start_metrics_endpoint


class Mode(Enum):
    CONCEPTUAL = "conceptual"
    DIAGNOSTIC = "diagnostic"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Configure logging to a stream, and put it back as it was."""
    root = stdlib_logging.getLogger()
    handlers, level = root.handlers[:], root.level
    out = io.StringIO()
    logging.configure("indexer", level="info", stream=out)
    yield out
    stdlib_logging.captureWarnings(capture=False)
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def events(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_logs_are_json_with_fields_and_level(stream: io.StringIO) -> None:
    """One object a line: event, fields, level, time, service; below the level nothing."""
    log = structlog.get_logger("x")
    log.debug("a.hidden")
    with structlog.contextvars.bound_contextvars(request_id="abc"):
        log.info("index.finished", files=3)

    (event,) = events(stream)
    assert (event["event"], event["files"], event["level"]) == ("index.finished", 3, "info")
    assert (event["cgrag_service"], event["request_id"]) == ("indexer", "abc")


def test_what_libraries_warn_of_is_logged(stream: io.StringIO) -> None:
    """As an event like all others, instead of lines between them."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("A key is sent in the clear.", UserWarning, stacklevel=1)

    (event,) = events(stream)
    assert (event["level"], event["cgrag_service"]) == ("warning", "indexer")
    assert "UserWarning: A key is sent in the clear." in str(event["event"])


def test_topics_can_be_muted(stream: io.StringIO) -> None:
    """Events of a muted topic are dropped, its warnings are not, others neither."""
    logging.configure("indexer", muted=["gaps", "query"], stream=stream)
    log = structlog.get_logger("x")
    log.info("gaps.found", count=3)
    log.warning("gaps.failed")
    log.info("gapless.run")

    assert [event["event"] for event in events(stream)] == ["gaps.failed", "gapless.run"]


def test_secrets_are_not_logged(stream: io.StringIO) -> None:
    """Neither by the name of their field nor by their form, nor from exceptions and libraries."""
    log = structlog.get_logger("x")
    key = "sk-ant-" + "a1" * 12
    log.info("a.b", api_key="hunter2", note=f"used {key}", tokens=12)
    log.info("a.c", paths=[Path(key), (key,)], sent={"api_key": "hunter2", key: {"x": key}}, error=ValueError(key))
    try:
        raise ValueError(key)
    except ValueError:
        log.exception("a.failed")
    stdlib_logging.getLogger("library").warning("header %s", key)

    assert "hunter2" not in stream.getvalue()
    assert key not in stream.getvalue()
    assert [event.get("tokens") for event in events(stream)] == [12, None, None, None]
    assert events(stream)[1]["sent"] == {"api_key": "(secret)", "[redacted]": {"x": "[redacted]"}}


def test_spans_have_ids_without_an_exporter() -> None:
    """A call without a trace begins one, and a call made for it keeps the trace under an id of its own."""
    tracing.configure("test")
    with tracing.within(tracing.start_server_span("svc/Method", {})) as outer:
        metadata = tracing.outgoing_metadata()
        inner = tracing.start_server_span("svc/Other", metadata)
        ids = [each.get_span_context() for each in (outer, inner)]

    assert all(each.is_valid and each.trace_flags.sampled for each in ids)
    assert ids[0].trace_id == ids[1].trace_id
    assert ids[0].span_id != ids[1].span_id


def test_traces_are_in_logs_and_metadata(stream: io.StringIO) -> None:
    """Within a span, the incoming trace id is logged and handed on, with what vendors keep about the trace."""
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    metadata = {"traceparent": f"00-{trace_id}-b7ad6b7169203331-01", "tracestate": "vendor=1"}
    with tracing.within(tracing.start_server_span("svc/Method", metadata)):
        structlog.get_logger("x").info("a.b")
        outgoing = tracing.outgoing_metadata()

    assert events(stream)[0]["trace_id"] == trace_id
    assert outgoing["traceparent"].split("-")[1] == trace_id
    assert outgoing["tracestate"] == "vendor=1"


async def test_metrics_keep_their_series_few_whatever_comes() -> None:
    """A label value that was not declared counts as "other": a thousand repositories make no series."""
    metrics = Metrics("retriever")
    counter = metrics.counter("gaps", "Gaps.", {"mode": values_of(Mode), "outcome": ("resolved", "absent")})
    for number in range(1000):
        counter.add(mode=f"repository-{number}", outcome="resolved")
    counter.add(2, mode="diagnostic", outcome="absent")

    get = metrics.registry.get_sample_value
    assert get("cgrag_gaps_total", {"mode": "other", "outcome": "resolved"}) == 1000
    assert get("cgrag_gaps_total", {"mode": "diagnostic", "outcome": "absent"}) == 2
    assert metrics.text().count("cgrag_gaps_total{") == 2


def test_labels_must_be_those_declared() -> None:
    """A forgotten or invented label is a mistake of the programmer."""
    counter = Metrics("x").counter("gaps", "Gaps.", {"outcome": ("resolved",)})
    with pytest.raises(ValueError, match="outcome"):
        counter.add(mode="a")


def test_single_labels_start_at_zero() -> None:
    """All values of a metric's only label are shown before they happen."""
    metrics = Metrics("x")
    metrics.counter("gaps", "Gaps.", {"outcome": ("resolved", "absent")})

    assert metrics.registry.get_sample_value("cgrag_gaps_total", {"outcome": "absent"}) == 0


async def test_the_endpoint_serves_and_tells_when_its_port_is_taken() -> None:
    """Prometheus reads the text; a second endpoint on the port names the setting."""
    metrics = Metrics("indexer", "1.0")
    endpoint = start_metrics_endpoint(metrics, 0)
    try:
        text = await asyncio.to_thread(_read, f"http://127.0.0.1:{endpoint.port}/metrics")
        with pytest.raises(StartupError, match="CGRAG_INDEXER_METRICS_PORT"):
            start_metrics_endpoint(metrics, endpoint.port)
    finally:
        endpoint.close()

    assert 'cgrag_build_info{service="indexer",version="1.0"} 1.0' in text


async def test_connections_that_ask_for_nothing_give_way() -> None:
    """Each would keep a thread for as long as it stays: the oldest are closed, and Prometheus is served."""
    endpoint = start_metrics_endpoint(Metrics("indexer", "1.0"), 0)
    silent = [socket.create_connection(("127.0.0.1", endpoint.port), timeout=30) for _ in range(200)]
    try:
        text = await asyncio.to_thread(_read, f"http://127.0.0.1:{endpoint.port}/metrics")
        closed = await asyncio.to_thread(silent[0].recv, 1)
        async with asyncio.timeout(30):
            while sum("process_request_thread" in each.name for each in threading.enumerate()) > 20:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    finally:
        for each in silent:
            each.close()
        endpoint.close()

    assert "cgrag_build_info" in text
    assert closed == b""


def _read(url: str) -> str:
    with urllib.request.urlopen(url) as response:
        return str(response.read().decode())
