"""The image: what its build is sent, and how it tells whether it serves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from deploy.healthcheck import serves

ROOT = Path(__file__).parents[3]
NAME = "cgrag.retriever.v1.RetrieverService"


@pytest.fixture
def server() -> Iterator[tuple[health.HealthServicer, str]]:
    """A health server, and the port that it listens on."""
    listening = grpc.server(futures.ThreadPoolExecutor(1))
    servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, listening)
    port = listening.add_insecure_port("127.0.0.1:0")
    listening.start()
    yield servicer, str(port)
    listening.stop(None).wait()


@pytest.mark.parametrize(
    ("status", "expected"),
    [(health_pb2.HealthCheckResponse.SERVING, True), (health_pb2.HealthCheckResponse.NOT_SERVING, False)],
)
def test_a_container_is_healthy_when_its_service_is_ready(
    server: tuple[health.HealthServicer, str], status: int, *, expected: bool
) -> None:
    """The readiness of the service that runs in it decides, not that a process is there."""
    servicer, port = server
    servicer.set(NAME, status)

    assert serves({"CGRAG_SERVICE": "retriever", "CGRAG_RETRIEVER_HEALTH_PORT": port}) is expected


def test_a_container_where_nothing_listens_is_not_healthy() -> None:
    """Nobody there is an answer, not a traceback."""
    assert not serves({"CGRAG_SERVICE": "retriever", "CGRAG_RETRIEVER_HEALTH_PORT": "1"})


def test_the_build_is_sent_what_it_copies_and_nothing_else() -> None:
    """A checkout's history, environment and caches stay where they are, and no COPY misses its source."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    recipe = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    copied = {source.rstrip("/") for source in re.findall(r"^COPY (?!--from)(\S+)", recipe, re.MULTILINE)}
    services = {"indexer", "classifier", "retriever", "orchestrator"}

    assert "*" in lines
    assert sent == (copied - {"${SERVICE}"}) | services
    assert all((ROOT / path).exists() for path in sent)
