"""An orchestrator that cannot keep answers gives none: it is alive, and not ready."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.fakes.answering import refusal
from tests.fakes.orchestrating import orchestrating

_SERVICE = "cgrag.orchestrator.v1.OrchestratorService"
_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def test_readiness_follows_the_disk_of_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Others are asked meanwhile; the log has the reason, once; and what is asked after it is mended is answered."""
    in_the_way = tmp_path / "orchestrator"
    in_the_way.touch()
    async with (
        orchestrating(data_dir=tmp_path) as asked,
        grpc.aio.insecure_channel(f"127.0.0.1:{asked.server.health_port}") as channel,
    ):
        health = health_pb2_grpc.HealthStub(channel)
        watching = health.Watch(health_pb2.HealthCheckRequest(service=_SERVICE))
        before = (await watching.read()).status
        alive = await health.Check(health_pb2.HealthCheckRequest())
        refused = await refusal(asked.answer())
        in_the_way.unlink()
        async with asyncio.timeout(30):
            after = (await watching.read()).status
        answer = await asked.answer()
    told = capsys.readouterr()

    assert (before, alive.status, after) == (_NOT_SERVING, _SERVING, _SERVING)
    assert refused.code() is grpc.StatusCode.UNAVAILABLE
    assert answer.text
    assert (told.out + told.err).count("the answers store does not work") == 1
