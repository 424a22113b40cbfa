"""A retriever that takes fewer calls at once than answers need: they wait, and none fails for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from cgrag.retriever.v1 import retriever_pb2

from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable, Overloaded
from common.observability.metrics import Metrics
from common.rpc.client.deadlines import start_deadline
from common.rpc.serving.server import build_server
from common.rpc.settings import ServerSettings
from orchestrator.adapters.peers.replicas import Replicas
from retriever.rpc.servicer import registration
from tests.fakes.answering import eventually
from tests.fakes.peers import REPOSITORY, FakeRetriever

_TAKEN = 4
_CALLS = 40
_SECONDS = 0.02
_REQUEST = retriever_pb2.LookupSymbolsRequest(repository=REPOSITORY, name="checkout")


@asynccontextmanager
async def retriever_of(fake: FakeRetriever) -> AsyncIterator[tuple[str, Metrics]]:
    """Serve a retriever that takes few calls at once."""
    metrics = Metrics("retriever")
    settings = ServerSettings(max_concurrent_calls=_TAKEN)
    async with build_server(settings, [registration(fake)], metrics=metrics) as server:
        yield f"127.0.0.1:{server.port}", metrics


async def ask(replicas: Replicas, cap_seconds: float = 20.0) -> object:
    """Call once."""
    return await replicas.call(REPOSITORY, "LookupSymbols", _REQUEST, cap_seconds)


def refused_by(metrics: Metrics) -> float:
    """Return how many calls a server refused."""
    return metrics.registry.get_sample_value("cgrag_shed_total", {"reason": "concurrency"}) or 0.0


@pytest.mark.parametrize(("seconds", "cap_seconds"), [(_SECONDS, 20.0), (0.1, 0.5)])
async def test_calls_beyond_what_a_retriever_takes_wait_their_turn(seconds: float, cap_seconds: float) -> None:
    """Ten times what fits is served, though it takes longer than any call may, and none has to be refused."""
    fake = FakeRetriever(delay={"LookupSymbols": seconds})
    async with retriever_of(fake) as (address, metrics):
        replicas = Replicas([address], at_once=_TAKEN)
        answers = await asyncio.gather(*(ask(replicas, cap_seconds) for _ in range(_CALLS)))
        await replicas.close()

        assert len(answers) == len(fake.requests) == _CALLS
        assert refused_by(metrics) == 0


async def test_calls_about_one_repository_go_where_there_is_room() -> None:
    """Its replica is the first, and a burst that it has no room for is shared by all."""
    fakes = [FakeRetriever(delay={"LookupSymbols": _SECONDS}) for _ in range(2)]
    async with retriever_of(fakes[0]) as (one, _), retriever_of(fakes[1]) as (other, _):
        replicas = Replicas([one, other], at_once=_TAKEN)
        for _ in range(_TAKEN):
            await ask(replicas)
        alone = sorted(len(fake.requests) for fake in fakes)
        await asyncio.gather(*(ask(replicas) for _ in range(2 * _TAKEN)))
        shared = sorted(len(fake.requests) for fake in fakes)
        await replicas.close()

        assert alone == [0, _TAKEN]
        assert shared == [_TAKEN, 2 * _TAKEN]


async def test_a_refusal_is_waited_for_where_others_keep_a_retriever_busy() -> None:
    """Several orchestrators together are too many for it: who is refused comes back when told to."""
    fake = FakeRetriever(delay={"LookupSymbols": _SECONDS})
    async with retriever_of(fake) as (address, metrics):
        orchestrators = [Replicas([address], at_once=_TAKEN) for _ in range(3)]
        answers = await asyncio.gather(*(ask(each) for each in orchestrators for _ in range(_TAKEN)))
        for each in orchestrators:
            await each.close()

        assert len(answers) == len(fake.requests) == 3 * _TAKEN
        assert refused_by(metrics) > 0


async def test_the_next_replica_is_asked_where_one_has_too_much_to_do() -> None:
    """Nobody waits while another has room."""
    first, second = FakeRetriever(), FakeRetriever()
    async with retriever_of(first) as (one, _), retriever_of(second) as (other, _):
        replicas = Replicas([one, other])
        await ask(replicas)
        preferred, spare = (first, second) if first.requests else (second, first)
        preferred.failing["LookupSymbols"] = Overloaded("4 calls run already", retry_after_seconds=60)
        await ask(replicas)
        await replicas.close()

        assert len(spare.requests) == 1


async def test_the_next_replica_is_asked_where_one_is_gone() -> None:
    """Its refusal is told if it has too much to do, and that nobody answers only if all are gone."""
    fakes = FakeRetriever(), FakeRetriever()
    servers = AsyncExitStack(), AsyncExitStack()
    addresses = [
        (await server.enter_async_context(retriever_of(fake)))[0] for server, fake in zip(servers, fakes, strict=True)
    ]
    replicas = Replicas(addresses, patience_seconds=0.2)
    await ask(replicas)
    first = 0 if fakes[0].requests else 1
    await servers[first].aclose()
    await ask(replicas)
    fakes[1 - first].failing["LookupSymbols"] = Overloaded("4 calls run already", retry_after_seconds=60)
    with pytest.raises(AppError) as refused:
        await ask(replicas)
    await servers[1 - first].aclose()
    with pytest.raises(DependencyUnavailable) as gone:
        await ask(replicas)
    await replicas.close()

    assert len(fakes[first].requests) == 1
    assert len(fakes[1 - first].requests) == 2
    assert refused.value.reason == Overloaded.reason
    assert gone.value.metadata["dependency"] == "retriever"


@pytest.mark.parametrize(("patience_seconds", "deadline"), [(0.2, 30.0), (20.0, 0.2)])
async def test_a_refusal_is_told_where_the_wait_would_be_longer_than_anybody_waits(
    patience_seconds: float, deadline: float
) -> None:
    """Neither its own bound nor the caller's deadline is waited out for nothing."""
    fake = FakeRetriever(failing={"LookupSymbols": Overloaded("4 calls run already", retry_after_seconds=5)})
    async with retriever_of(fake) as (address, _):
        replicas = Replicas([address], patience_seconds=patience_seconds)

        async def bounded() -> object:
            start_deadline(deadline)
            return await ask(replicas)

        with pytest.raises(AppError) as told:
            await asyncio.create_task(bounded())
        await replicas.close()

        assert told.value.reason == Overloaded.reason
        assert len(fake.requests) == 1


async def test_a_call_that_finds_no_room_in_time_says_what_to_do() -> None:
    """Calls that hang keep others out, until the time of those is over."""
    fake = FakeRetriever(delay={"LookupSymbols": 30.0})
    async with retriever_of(fake) as (address, _):
        replicas = Replicas([address], at_once=1, patience_seconds=0.1)
        hanging = asyncio.create_task(ask(replicas))
        await eventually(lambda: bool(fake.requests))
        with pytest.raises(DeadlineExceeded, match="had no free slot in time"):
            await ask(replicas)
        hanging.cancel()
        await asyncio.wait([hanging])
        await replicas.close()

        assert len(fake.requests) == 1


async def test_a_call_goes_where_room_comes_first() -> None:
    """Not behind those that hang at the replica of its repository, while another has ended what it did."""
    fakes = [FakeRetriever(delay={"LookupSymbols": 30.0}) for _ in range(2)]
    async with retriever_of(fakes[0]) as (one, _), retriever_of(fakes[1]) as (other, _):
        replicas = Replicas([one, other], at_once=1)
        hanging = [asyncio.create_task(ask(replicas))]
        await eventually(lambda: any(fake.requests for fake in fakes))
        preferred, spare = fakes if fakes[0].requests else fakes[::-1]
        hanging.append(asyncio.create_task(ask(replicas)))
        await eventually(lambda: bool(spare.requests))
        spare.delay.clear()
        waiting = asyncio.create_task(ask(replicas))
        hanging[1].cancel()
        await asyncio.wait([waiting], timeout=10)
        is_done = waiting.done()
        for each in (hanging[0], waiting):
            each.cancel()
        await asyncio.wait([*hanging, waiting])
        await replicas.close()

        assert is_done
        assert [len(preferred.requests), len(spare.requests)] == [1, 2]


async def test_all_waits_of_a_call_are_one_patience() -> None:
    """Who has waited for room does not wait as long again for a retriever that refuses."""
    fake = FakeRetriever(delay={"LookupSymbols": 30.0})
    async with retriever_of(fake) as (address, _):
        replicas = Replicas([address], at_once=1, patience_seconds=2.0)
        hanging = asyncio.create_task(ask(replicas, cap_seconds=1.2))
        await eventually(lambda: bool(fake.requests))
        fake.delay.clear()
        fake.failing["LookupSymbols"] = Overloaded("4 calls run already", retry_after_seconds=1)
        with pytest.raises(AppError) as told:
            await ask(replicas)
        await asyncio.gather(hanging, return_exceptions=True)
        await replicas.close()

        assert told.value.reason == Overloaded.reason
        assert len(fake.requests) == 2
