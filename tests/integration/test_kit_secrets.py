"""What an unforeseen error says stays in its process: neither a trace nor a log line holds the secret in it."""

from __future__ import annotations

import asyncio
from concurrent import futures
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from tests.integration.test_kit_process import sample

SECRET = "sk-ant-api03-" + "aB3" * 10
_Base: Any = trace_service_pb2_grpc.TraceServiceServicer


class Collector(_Base):  # type: ignore[misc]  # generated servicers are untyped
    """Keeps what is exported, as it comes."""

    def __init__(self) -> None:
        self.spans: list[Any] = []

    def Export(self, request: Any, context: Any) -> Any:
        """Keep the spans."""
        self.spans += [each for group in request.resource_spans for part in group.scope_spans for each in part.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


async def test_an_error_that_quotes_a_secret_leaves_with_its_code_alone() -> None:
    """The span of the call has failed, with the code and no text; the log has the error without the secret."""
    collector, server = Collector(), grpc.server(futures.ThreadPoolExecutor(2))
    add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    add(collector, server)
    endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    async with sample(CGRAG_SAMPLE_OTLP_ENDPOINT=endpoint) as (running, _, stub):
        for question in ("0", SECRET):
            call = stub.Ask(orchestrator_pb2.AskRequest(question=question))
            await call.read()
            await (call.read() if question == "0" else _refused(call))
        running.stop()
        assert await running.ended() == 0
    await asyncio.to_thread(server.stop(None).wait)
    good, bad = sorted(collector.spans, key=lambda span: span.start_time_unix_nano)
    [defect] = [each for each in running.events if each["event"] == "rpc.defect"]

    codes = {each.key: each.value.int_value for each in bad.attributes}
    assert (bad.status.code, bad.status.message) == (2, "INTERNAL")
    assert codes["rpc.grpc.status_code"] == grpc.StatusCode.INTERNAL.value[0]
    assert good.status.code == 0
    assert not bad.events
    assert SECRET not in str(collector.spans) + str(running.events)
    assert "could not convert" in defect["exception"]


async def _refused(call: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match="INTERNAL"):
        await call.read()
