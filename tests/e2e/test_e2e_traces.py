"""One trace for an answer, over the services that make it, as a collector gets it by OTLP."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from tests.e2e.four_services import NAMES, SHOP, FourServices
from tests.e2e.ports import free_port

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"
_Base: Any = trace_service_pb2_grpc.TraceServiceServicer


@dataclass(frozen=True, slots=True)
class Span:
    """One span as it was exported."""

    service: str
    name: str
    trace: str
    identity: str
    parent: str
    seconds: float
    attributes: dict[str, Any] = field(default_factory=dict)


class Collector(_Base):  # type: ignore[misc]  # generated servicers are untyped
    """Keeps what is exported."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
        add(self, self._server)
        self.endpoint = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def Export(self, request: Any, context: Any) -> Any:
        """Keep the spans of one process."""
        for resource in request.resource_spans:
            [service] = [each.value.string_value for each in resource.resource.attributes if each.key == "service.name"]
            for scope in resource.scope_spans:
                self.spans += [_span(service, each) for each in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()

    def __enter__(self) -> Collector:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(None)


def _span(service: str, span: Any) -> Span:
    attributes = {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}
    seconds = (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9
    identity, parent = span.span_id.hex(), span.parent_span_id.hex()
    return Span(service, span.name, span.trace_id.hex(), identity, parent, seconds, attributes)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Span]]:
    """Ask one question within a caller's trace, stop the services, and give what they exported."""
    with Collector() as collector:
        settings = {f"CGRAG_{name}_OTLP_ENDPOINT".upper(): collector.endpoint for name in NAMES}
        with FourServices(tmp_path_factory.mktemp("traced") / "data", settings) as services:
            services.index(SHOP, "shop")
            request = orchestrator_pb2.AskRequest(repository="shop", question="Trace how an order is placed")
            metadata = (("traceparent", f"00-{TRACE}-{CALLER}-01"),)
            list(services.orchestrator.Ask(request, timeout=60, metadata=metadata))
            assert set(services.stop().values()) == {0}
        yield collector.spans


def test_an_answer_is_one_trace_over_its_services(traced: list[Span]) -> None:
    """What its caller began goes on in orchestrator, classifier and retriever, each call below the one that made it."""
    spans = [each for each in traced if each.trace == TRACE]
    known = {each.identity for each in spans}
    [ask] = [each for each in spans if each.name.endswith("/Ask")]

    assert ask.parent == CALLER
    assert {each.service for each in spans} == {"cgrag-orchestrator", "cgrag-classifier", "cgrag-retriever"}
    assert all(each.parent in known for each in spans if each is not ask)


def test_each_pass_and_stage_is_a_span(traced: list[Span]) -> None:
    """With its time and its figures, below the call that it is part of."""
    spans = [each for each in traced if each.trace == TRACE]
    named = {each.identity: each.name for each in spans}
    passes = [each for each in spans if each.name == "answer.pass"]
    stages = [each for each in spans if each.name.startswith("stage.")]
    [classified] = [each for each in spans if each.name == "answer.classify"]

    assert [each.attributes["pass_number"] for each in passes] == list(range(1, len(passes) + 1))
    assert {named[each.parent].rpartition("/")[2] for each in passes} == {"Ask"}
    assert len(stages) >= 2
    assert {(each.service, named[each.parent].rpartition("/")[2]) for each in stages} == {
        ("cgrag-retriever", "Retrieve")
    }
    assert classified.attributes["mode"] == "exploratory"
    assert all(0 <= each.seconds < 60 for each in spans)


def test_calls_of_the_indexer_are_spans_too(traced: list[Span]) -> None:
    """Every service exports."""
    names = {each.name.rpartition("/")[2] for each in traced if each.service == "cgrag-indexer"}

    assert {"StartIndexing", "WatchIndexJob"} <= names


def test_a_collector_that_is_away_holds_nothing_up(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Answers are given, and services end as asked."""
    settings = {f"CGRAG_{name}_OTLP_ENDPOINT".upper(): f"http://127.0.0.1:{free_port()}" for name in NAMES}
    with FourServices(tmp_path_factory.mktemp("untraced") / "data", settings) as services:
        services.index(SHOP, "shop")
        request = orchestrator_pb2.AskRequest(repository="shop", question="Trace how an order is placed")
        events = list(services.orchestrator.Ask(request, timeout=60))
        codes = services.stop()

    assert events[-1].HasField("completed")
    assert set(codes.values()) == {0}
