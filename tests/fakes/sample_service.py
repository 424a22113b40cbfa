"""A whole service, as small as can be: `python -m tests.fakes.sample_service`, with settings in [sample]."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from common.core.settings import setting
from common.observability.metrics import Metrics
from common.rpc.serving.lifecycle import run_service, run_until_stopped
from common.rpc.serving.server import ServiceRegistration, build_server
from common.rpc.settings import ServerSettings

_Base: Any = orchestrator_pb2_grpc.OrchestratorServiceServicer


@dataclass(frozen=True, slots=True)
class SampleSettings(ServerSettings):
    """Settings of the sample."""

    passes: int = setting(3, "How many passes.", minimum=1, maximum=9)
    api_key: str = setting("", "Key of nobody.", secret=True)


class _Sleeper(_Base):  # type: ignore[misc]  # abstract for mypy
    async def Ask(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """Give one event, sleep as many seconds as the question says, give another."""
        yield orchestrator_pb2.AnswerEvent(sequence=1)
        await asyncio.sleep(float(request.question))
        yield orchestrator_pb2.AnswerEvent(sequence=2)


async def serve(settings: SampleSettings) -> None:
    """Serve until told to stop."""
    service = orchestrator_pb2.DESCRIPTOR.services_by_name["OrchestratorService"]
    add = orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server
    server = build_server(settings, [ServiceRegistration(service, add, _Sleeper())], metrics=Metrics("sample"))
    try:
        await run_until_stopped(server)
    finally:
        sys.stderr.write('{"event": "sample.flushed"}\n')


if __name__ == "__main__":
    raise SystemExit(run_service("sample", SampleSettings, serve))
