"""A retriever that hangs: the next one is asked, and this one last for a while."""

from __future__ import annotations

from typing import Any

import pytest
from cgrag.retriever.v1 import retriever_pb2

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.peers.replicas import Replicas
from tests.fakes.clock import FakeClock
from tests.fakes.peers import REPOSITORY, FakeClassifier, FakeRetriever, serving_peers

HANGING = 3600.0
CAP = 0.1


async def ask(replicas: Replicas) -> Any:
    """Ask a small question."""
    request = retriever_pb2.LookupSymbolsRequest(repository=REPOSITORY, name="checkout")
    return await replicas.call(REPOSITORY, "LookupSymbols", request, CAP)


@pytest.mark.alone
async def test_one_that_hangs_costs_one_call_its_time() -> None:
    """The next one answers that call and those that follow, until it is time to see whether the first is well."""
    fakes, clock = (FakeRetriever(), FakeRetriever()), FakeClock()
    async with (
        serving_peers(fakes[0], FakeClassifier()) as (one, _),
        serving_peers(fakes[1], FakeClassifier()) as (other, _),
    ):
        replicas = Replicas([one, other], clock=clock)
        await ask(replicas)
        first, second = fakes if fakes[0].requests else fakes[::-1]
        first.delay["LookupSymbols"] = HANGING
        for _ in range(3):
            await ask(replicas)
        while_ill = len(first.requests), len(second.requests)
        first.delay.clear()
        clock.advance(15)
        await ask(replicas)
        await replicas.close()

    assert while_ill == (2, 3)
    assert len(first.requests) == 3


async def test_one_that_is_alone_is_asked_all_the_same() -> None:
    """It says how long it was waited for, and nothing of a deadline that nobody set."""
    fake = FakeRetriever(delay={"LookupSymbols": HANGING})
    async with serving_peers(fake, FakeClassifier()) as (address, _):
        replicas = Replicas([address])
        for _ in range(2):
            with pytest.raises(DependencyUnavailable, match=r"did not answer in 0\.1 s; check that it is well"):
                await ask(replicas)
        await replicas.close()

    assert len(fake.requests) == 2
