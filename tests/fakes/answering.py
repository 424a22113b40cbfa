"""A small service to try the server kit with, and what one reads from its metrics and errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from google.rpc import error_details_pb2, status_pb2

from common.observability.metrics import Metrics
from common.rpc import callers
from common.rpc.client import deadlines
from common.rpc.client.channels import open_channel
from common.rpc.serving.server import Server, ServiceRegistration, build_server
from common.rpc.settings import ServerSettings
from tests.fakes.ids import SequentialIds

SERVICE = orchestrator_pb2.DESCRIPTOR.services_by_name["OrchestratorService"]
ASK = orchestrator_pb2.AskRequest()
GET = orchestrator_pb2.GetAnswerRequest()


# Generated servicers are abstract for mypy; this one leaves most of the contract unwritten.
_Base: Any = orchestrator_pb2_grpc.OrchestratorServiceServicer


class Answers(_Base):  # type: ignore[misc]
    """Does what each test wants, and remembers how its calls ended."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.seen: list[str] = []
        self.error: Exception | None = None
        self.left: float | None = None

    async def Ask(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """Give one event, wait for `release`, give another."""
        try:
            yield orchestrator_pb2.AnswerEvent(sequence=1)
            self.seen.append("started")
            if self.error is not None:
                raise self.error
            await self.release.wait()
            yield orchestrator_pb2.AnswerEvent(sequence=2)
            self.seen.append("completed")
        finally:
            self.seen.append("closed")

    async def GetAnswer(self, request: Any, context: Any) -> Any:
        """Answer at once; wait for `release` if the id is "wait"."""
        self.left = deadlines.remaining()
        self.seen.append(f"{callers.current_caller().name} {callers.current_request_id()}")
        if self.error is not None:
            raise self.error
        if request.answer_id == "wait":
            await self.release.wait()
        return orchestrator_pb2.Answer()


@asynccontextmanager
async def serving(servicer: Answers, **options: Any) -> AsyncIterator[tuple[Server, Any, Metrics]]:
    """Serve on free ports; give the server, a stub and the metrics."""
    metrics = Metrics("orchestrator", "1.2.3")
    limits = options.pop("limits", ())
    settings = options.pop("settings", ServerSettings())
    registration = ServiceRegistration(
        SERVICE, orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server, servicer, limits
    )
    server = build_server(settings, [registration], metrics=metrics, ids=SequentialIds(), **options)
    async with server, open_channel(f"127.0.0.1:{server.port}") as channel:
        yield server, orchestrator_pb2_grpc.OrchestratorServiceStub(channel), metrics


async def refusal(call: Awaitable[object]) -> grpc.aio.AioRpcError:
    """Wait for a call that is to fail, and return its error."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    return raised.value


def details(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    """Unpack the details of a status by their type."""
    trailing = dict(error.trailing_metadata())
    status = status_pb2.Status.FromString(trailing["grpc-status-details-bin"])
    kinds = (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo)
    found: dict[str, Any] = {}
    for detail in status.details:
        for kind in kinds:
            if detail.Is(kind.DESCRIPTOR):
                assert kind.__name__ not in found
                found[kind.__name__] = kind.FromString(detail.value)
    return found


def sample(metrics: Metrics, name: str, **labels: str) -> float | None:
    """Return the value of a series."""
    return metrics.registry.get_sample_value(name, labels)


def handled(metrics: Metrics, method: str, code: str) -> float | None:
    """Return how many calls of a method ended so."""
    kind = "server_stream" if method == "Ask" else "unary"
    labels = {"grpc_type": kind, "grpc_service": SERVICE.full_name, "grpc_method": method, "grpc_code": code}
    return sample(metrics, "grpc_server_handled_total", **labels)


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until something that happens on another task is there; fails after 30 s, which a busy machine may need."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 (what is waited for happens at the other end of a connection)
            await asyncio.sleep(0.005)


def labels_of(method: str) -> dict[str, str]:
    """Return the labels of a method's series."""
    kind = "server_stream" if method == "Ask" else "unary"
    return {"grpc_type": kind, "grpc_service": SERVICE.full_name, "grpc_method": method}
