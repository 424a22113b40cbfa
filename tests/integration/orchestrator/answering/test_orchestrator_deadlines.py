"""Calls whose deadline passes, told apart by what they waited for."""

from __future__ import annotations

import urllib.request
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2

from tests.e2e.ports import free_port
from tests.fakes.answering import eventually
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import QUESTION, asking, orchestrating
from tests.fakes.peers import REPOSITORY


def counted(port: int) -> dict[str, float]:
    """Return how many deadlines passed, by what was waited for."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
    name = "cgrag_answer_deadlines_total{"
    rows = (line.removeprefix(name).split() for line in text.splitlines() if line.startswith(name))
    return {label.partition('waiting_for="')[2].partition('"')[0]: float(value) for label, value in rows}


async def asked(suite: Any, seconds: float) -> grpc.StatusCode:
    """Ask with a deadline and return how the call ended."""
    try:
        async for _ in suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=seconds):
            pass
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize("waits_for", ["engine", "other"])
async def test_a_deadline_that_passes_is_counted_by_what_was_waited_for(model: AnthropicServer, waits_for: str) -> None:
    """A model that writes too slowly, or a retriever that does; the availability target tells them apart by it."""
    model.enqueue(Message(pieces=["slowly "] * 50, pause_seconds=1.0))
    port = free_port()
    async with asking(model, metrics_port=port) as suite:
        suite.retriever.delay = {"Retrieve": 30.0} if waits_for == "other" else {}
        code = await asked(suite, 2.0)
        await eventually(lambda: counted(port).get(waits_for) == 1)

        assert code is grpc.StatusCode.DEADLINE_EXCEEDED
        assert sum(counted(port).values()) == 1


async def test_who_leaves_or_gets_an_answer_is_not_counted() -> None:
    """Neither ran out of time."""
    port = free_port()
    async with orchestrating(metrics_port=port) as suite:
        code = await asked(suite, 60.0)
        suite.retriever.delay = {"Retrieve": 30.0}
        call = suite.stub.Ask(pb.AskRequest(repository=REPOSITORY, question=QUESTION), timeout=60)
        await eventually(lambda: len(suite.retriever.asked(retriever_pb2.RetrieveRequest)) == 2)
        call.cancel()
        await eventually(lambda: suite.retriever.cancelled == ["Retrieve"])

        assert code is grpc.StatusCode.OK
        assert sum(counted(port).values()) == 0
