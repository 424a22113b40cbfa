"""Channels: what travels with a call, and what is asked again."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from common.observability import tracing
from common.rpc.client import deadlines
from common.rpc.client.channels import open_channel, service_config
from tests.fakes.answering import ASK, GET, SERVICE, Answers, refusal, serving
from tests.fakes.slow_line import slow_line


async def test_context_travels_through_a_service_to_the_next() -> None:
    """Request id, caller and trace of the first call arrive at the second service."""
    seen: list[Mapping[str, str]] = []

    class Relay(Answers):
        async def GetAnswer(self, request: Any, context: Any) -> Any:
            await next_stub.GetAnswer(GET, timeout=deadlines.child_timeout(1.0))
            return orchestrator_pb2.Answer()

    class Last(Answers):
        async def GetAnswer(self, request: Any, context: Any) -> Any:
            seen.append(dict(context.invocation_metadata()))
            return orchestrator_pb2.Answer()

    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with serving(Last()) as (_, next_stub, _), serving(Relay()) as (_, stub, _):
        metadata = (("x-request-id", "abc"), ("x-cgrag-caller", "ann"), ("traceparent", parent))
        await stub.GetAnswer(GET, metadata=metadata)

    assert (seen[0]["x-request-id"], seen[0]["x-cgrag-caller"]) == ("abc", "ann")
    assert seen[0]["traceparent"].split("-")[1] == parent.split("-")[1]
    assert tracing.outgoing_metadata() == {}


async def test_unavailable_is_retried_for_idempotent_methods_only() -> None:
    """The channel's service config asks again where that does no harm, and never for other methods."""
    attempts = {"GetAnswer": 0, "RateAnswer": 0}

    async def shaky(request: Any, context: Any, name: str) -> Any:
        attempts[name] += 1
        if attempts[name] < 3:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "restarting")
        return orchestrator_pb2.Answer()

    class Shaky(Answers):
        async def GetAnswer(self, request: Any, context: Any) -> Any:
            return await shaky(request, context, "GetAnswer")

        async def RateAnswer(self, request: Any, context: Any) -> Any:
            return await shaky(request, context, "RateAnswer")

    async with serving(Shaky()) as (server, _, _):
        config = service_config(SERVICE.full_name, ["GetAnswer"])
        async with open_channel(f"127.0.0.1:{server.port}", config=config) as channel:
            stub: Any = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
            await stub.GetAnswer(GET)
            raised = await refusal(stub.RateAnswer(orchestrator_pb2.RateAnswerRequest()))

    assert attempts == {"GetAnswer": 3, "RateAnswer": 1}
    assert raised.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_connection_that_takes_its_time_is_made() -> None:
    """A peer on a busy host needs more than a second for the beginning of HTTP/2; trying anew would not help it."""
    async with (
        serving(Answers()) as (server, _, _),
        slow_line(server.port, seconds=1.5) as line,
        open_channel(line.target) as channel,
    ):
        await orchestrator_pb2_grpc.OrchestratorServiceStub(channel).GetAnswer(GET, timeout=20)


@pytest.mark.long
async def test_a_peer_that_stops_in_the_middle_of_a_stream_is_noticed() -> None:
    """A minute after its last word it is asked, and 20 s later given up."""
    async with (
        serving(Answers()) as (server, _, _),
        slow_line(server.port) as line,
        open_channel(line.target) as channel,
    ):
        call = orchestrator_pb2_grpc.OrchestratorServiceStub(channel).Ask(ASK, timeout=300)
        await call.read()
        line.is_dead = True
        began = time.monotonic()
        ended = await refusal(call.read())

    assert ended.code() is grpc.StatusCode.UNAVAILABLE
    assert time.monotonic() - began < 100
