"""Every method of every service at three times its limit: that many are served, the rest refused, health stays."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from google.protobuf import message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc

from classifier.rpc import servicer as classifier
from common.core.errors import Overloaded
from common.observability.metrics import Metrics
from common.rpc.client.channels import open_channel
from common.rpc.serving.server import ServiceRegistration, build_server
from common.rpc.settings import ServerSettings
from common.rpc.status import errors_from_status
from indexer.rpc import servicer as indexer
from orchestrator.rpc import servicer as orchestrator
from retriever.rpc import servicer as retriever
from tests.fakes.answering import eventually, sample

LIMIT = 3
MODULES: dict[str, Any] = {
    "indexer": indexer_pb2,
    "classifier": classifier_pb2,
    "retriever": retriever_pb2,
    "orchestrator": orchestrator_pb2,
}
Register = Callable[[Any], ServiceRegistration]
REGISTER: dict[str, Register] = {
    "indexer": lambda held: indexer.registration(held, max_calls=LIMIT),
    "classifier": classifier.registration,
    "retriever": retriever.registration,
    "orchestrator": lambda held: orchestrator.registration(held, max_streams=LIMIT),
}


@dataclass
class Held:
    """Serves every method of a contract, each call when it is let go."""

    descriptor: Any
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def __getattr__(self, name: str) -> Any:
        method = self.descriptor.methods_by_name[name]
        response = message_factory.GetMessageClass(method.output_type)

        async def once(_request: Any, _context: Any) -> Any:
            await self.go.wait()
            return response()

        async def often(_request: Any, _context: Any) -> AsyncIterator[Any]:
            await self.go.wait()
            yield response()

        return often if method.server_streaming else once


def caller_of(channel: Any, service: Any, method: Any) -> Callable[[], Any]:
    """Return what begins a call of a method with an empty request."""
    kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
    call = getattr(channel, kind)(f"/{service.full_name}/{method.name}")
    return lambda: call(iter([b""]) if method.client_streaming else b"", timeout=30)


async def end_of(call: Any) -> grpc.aio.AioRpcError | None:
    """Return how a call failed, None if it did not."""
    try:
        await (call if hasattr(call, "__await__") else anext(aiter(call)))
    except grpc.aio.AioRpcError as error:
        return error
    return None


async def is_alive(port: int) -> bool:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.alone
async def test_no_method_is_without_a_limit(name: str) -> None:
    """What comes beyond is told when to come again; what was there before ends well."""
    service = MODULES[name].DESCRIPTOR.services_by_name[f"{name.capitalize()}Service"]
    held, metrics = Held(service), Metrics(name)
    settings = ServerSettings(max_concurrent_calls=LIMIT)
    server = build_server(settings, [REGISTER[name](held)], metrics=metrics)
    async with server, open_channel(f"127.0.0.1:{server.port}") as channel:
        for count, method in enumerate(service.methods, start=1):
            begin = caller_of(channel, service, method)
            running = [asyncio.ensure_future(end_of(begin())) for _ in range(LIMIT)]
            await eventually(partial(runs, LIMIT, method.name, metrics))
            waited: list[float] = []
            for _ in range(2 * LIMIT):
                began = time.monotonic()
                refused = await end_of(begin())
                waited.append(time.monotonic() - began)

                assert refused is not None, method.name
                error = errors_from_status(refused, dependency=name)
                assert (type(error), error.retry_after_seconds) == (Overloaded, 1.0), method.name
            alive = await is_alive(server.health_port)
            held.go.set()
            served = await asyncio.gather(*running)
            held.go.clear()

            assert served == [None] * LIMIT, method.name
            assert alive
            assert median(waited) < 0.05, method.name
            assert sample(metrics, "cgrag_shed_total", reason="concurrency") == 2 * LIMIT * count


def runs(calls: int, method: str, metrics: Metrics) -> bool:
    """Tell whether so many calls of a method have begun and not ended."""
    counts = {"grpc_server_started_total": 0.0, "grpc_server_handled_total": 0.0}
    for family in metrics.registry.collect():
        for each in family.samples:
            if each.name in counts and each.labels.get("grpc_method") == method:
                counts[each.name] += each.value
    return counts["grpc_server_started_total"] - counts["grpc_server_handled_total"] == calls


async def test_open_streams_do_not_keep_short_calls_out() -> None:
    """Who watches jobs, however many do, leaves room to cancel one."""
    service = indexer_pb2.DESCRIPTOR.services_by_name["IndexerService"]
    held, metrics = Held(service), Metrics("indexer")
    settings = ServerSettings(max_concurrent_calls=LIMIT)
    server = build_server(settings, [REGISTER["indexer"](held)], metrics=metrics)
    watch, cancel = (service.methods_by_name[name] for name in ("WatchIndexJob", "CancelIndexJob"))
    async with server, open_channel(f"127.0.0.1:{server.port}") as channel:
        watching = [asyncio.ensure_future(end_of(caller_of(channel, service, watch)())) for _ in range(LIMIT)]
        await eventually(lambda: runs(LIMIT, watch.name, metrics))
        cancelling = asyncio.ensure_future(end_of(caller_of(channel, service, cancel)()))
        await eventually(lambda: runs(1, cancel.name, metrics))
        held.go.set()
        ended = [await cancelling, *await asyncio.gather(*watching)]

    assert ended == [None] * (LIMIT + 1)
