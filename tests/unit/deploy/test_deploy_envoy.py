"""The example of deploy/envoy: JSON over HTTP and gRPC-Web in front of the services."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import yaml
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2

from tests.fakes.answer_events import two_pass_events
from tests.fakes.envoy import CONFIGURATION, ENVOY, envoy_before
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

ASK = "/cgrag.orchestrator.v1.OrchestratorService/Ask"
QUESTION = {"repository": "shop", "question": "Why does checkout raise OutOfStock?"}
NOT_FOUND = Failure(grpc.StatusCode.NOT_FOUND, "no repository 'shop'", "ERROR_REASON_REPOSITORY_NOT_FOUND")
FILES = (orchestrator_pb2, indexer_pb2, retriever_pb2, classifier_pb2)
SERVICES = {each.full_name for file in FILES for each in file.DESCRIPTOR.services_by_name.values()}
with_envoy = pytest.mark.skipif(ENVOY is None, reason="no envoy here: run `make servers`")


@pytest.fixture
def server() -> Iterator[SuiteServer]:
    """Serve one answer."""
    with SuiteServer(Script(events=two_pass_events())) as running:
        yield running


@pytest.fixture
def http(server: SuiteServer, tmp_path: Path) -> Iterator[httpx.Client]:
    """Run Envoy before the server."""
    with envoy_before(server.address, tmp_path) as client:
        yield client


def test_every_service_has_its_way() -> None:
    """Each is transcoded, and its route leads to a cluster at its port."""
    resources = yaml.safe_load(CONFIGURATION.read_text())["static_resources"]
    manager = resources["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    transcoder = next(each for each in manager["http_filters"] if each["name"].endswith("grpc_json_transcoder"))
    routes = manager["route_config"]["virtual_hosts"][0]["routes"][1:]
    clusters = {each["name"] for each in resources["clusters"]}

    assert set(transcoder["typed_config"]["services"]) == SERVICES
    assert {each["match"]["prefix"] for each in routes} == {f"/{each}/" for each in SERVICES}
    assert {each["route"]["cluster"] for each in routes} == clusters


@with_envoy
def test_an_answer_streams_as_lines_of_json(http: httpx.Client, server: SuiteServer) -> None:
    """One event, one line; a caller cannot say by itself who it is."""
    reply = http.post(ASK, json=QUESTION, headers={"x-cgrag-caller": "somebody", "x-request-id": "mine-1"})
    events = [json.loads(line) for line in reply.text.splitlines() if line]

    assert reply.status_code == 200
    assert [each["sequence"] for each in events] == [str(each.sequence) for each in two_pass_events()]
    assert events[-1]["completed"]["answer"]["text"].startswith("`Cart.checkout` [1] calls `reserve`")
    assert server.metadata["x-request-id"] == "mine-1"
    assert "x-cgrag-caller" not in server.metadata


@with_envoy
def test_a_failure_has_its_reason(http: httpx.Client, server: SuiteServer) -> None:
    """The status of HTTP that fits the code, and the details as JSON."""
    server.script.failure = NOT_FOUND
    reply = http.post(ASK, json=QUESTION)
    status = reply.json()

    assert reply.status_code == 404
    assert status["message"] == "no repository 'shop'"
    assert status["details"][0]["reason"] == "ERROR_REASON_REPOSITORY_NOT_FOUND"


@with_envoy
def test_grpc_web_streams_messages(http: httpx.Client) -> None:
    """Frames of the contract's messages, then the status."""
    request = orchestrator_pb2.AskRequest(repository="shop", question="Why?").SerializeToString()
    framed = struct.pack(">BI", 0, len(request)) + request
    reply = http.post(ASK, content=framed, headers={"content-type": "application/grpc-web+proto", "x-grpc-web": "1"})
    frames = list(_frames(reply.content))

    assert [orchestrator_pb2.AnswerEvent.FromString(body) for kind, body in frames if kind == 0] == two_pass_events()
    assert frames[-1][0] == 0x80
    assert b"grpc-status:0" in frames[-1][1]


@with_envoy
def test_a_caller_that_leaves_ends_the_call(http: httpx.Client, server: SuiteServer) -> None:
    """The service notices, as without Envoy."""
    server.script.hang_after = 3
    with http.stream("POST", ASK, json=QUESTION) as reply:
        next(reply.iter_lines())

    assert server.left.wait(20)


@with_envoy
def test_other_pages_may_not_call(http: httpx.Client, server: SuiteServer) -> None:
    """The preflight of a page of another origin is not answered, and what needs none has no route."""
    asks = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    allowed, refused = (
        http.options(ASK, headers={"origin": origin, **asks}).headers.get("access-control-allow-origin")
        for origin in ("http://localhost:3000", "https://elsewhere.example")
    )
    form = http.post(ASK, content=json.dumps(QUESTION), headers={"content-type": "text/plain"})

    assert (allowed, refused) == ("http://localhost:3000", None)
    assert form.status_code == 404
    assert server.asked == []


def _frames(content: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(content):
        kind, length = struct.unpack_from(">BI", content, at)
        yield kind, content[at + 5 : at + 5 + length]
        at += 5 + length
