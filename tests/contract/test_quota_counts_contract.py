"""What a caller may use, counted in every store alike: calls begun in a minute, and calls at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from common.core.errors import DependencyUnavailable, QuotaExceeded, StartupError
from common.core.ids import RandomIds
from common.rpc.access.file import Entry, Quotas
from common.rpc.access.quotas import Counts, Meter, OwnCounts
from common.rpc.access.rights import Rights
from common.rpc.access.valkey_counts import ValkeyCounts
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds
from tests.fakes.valkey_server import needs_server, valkey_server


@pytest.fixture(params=["own", pytest.param("valkey", marks=needs_server)])
async def counts(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Counts]:
    """Open a store of counts."""
    if request.param == "own":
        yield OwnCounts(FakeClock())
        return
    with valkey_server(tmp_path) as url:
        shared = ValkeyCounts.at(url, "session_store_url", "orchestrator", SequentialIds())
        yield shared
        await shared.close()


async def _refused(counts: Counts, name: str, quotas: Quotas) -> QuotaExceeded:
    with pytest.raises(QuotaExceeded) as refused:
        await counts.begin(name, quotas, 60)
    return refused.value


async def test_a_minutes_requests_may_come_at_once_and_no_more(counts: Counts) -> None:
    """The next has to wait for its part of a minute; another caller does not."""
    quotas = Quotas(requests_per_minute=2)
    for _ in range(2):
        await counts.end("anna", await counts.begin("anna", quotas, 60))
    refused = await _refused(counts, "anna", quotas)
    await counts.begin("bert", quotas, 60)

    assert refused.metadata["quota"] == "requests_per_minute"
    assert 29 < (refused.retry_after_seconds or 0) <= 30
    assert "2 requests" in refused.message


async def test_calls_count_until_they_end(counts: Counts) -> None:
    """One that is refused counts as none; one that ends makes room."""
    quotas = Quotas(calls_at_once=2, requests_per_minute=100)
    first, _ = [await counts.begin("anna", quotas, 60) for _ in range(2)]
    refused = await _refused(counts, "anna", quotas)
    await counts.end("anna", first)
    await counts.begin("anna", quotas, 60)
    again = await _refused(counts, "anna", quotas)

    assert refused.metadata["quota"] == again.metadata["quota"] == "calls_at_once"
    assert "2 calls" in refused.message


async def test_a_bucket_fills_in_a_minute() -> None:
    """And not over its brim."""
    clock, quotas = FakeClock(), Quotas(requests_per_minute=2)
    counts = OwnCounts(clock)
    await counts.begin("anna", quotas, 60)
    clock.advance(600)
    for _ in range(2):
        await counts.begin("anna", quotas, 60)
    await _refused(counts, "anna", quotas)
    clock.advance(31)
    await counts.begin("anna", quotas, 60)
    refused = await _refused(counts, "anna", quotas)

    assert refused.retry_after_seconds == pytest.approx(29)


@dataclass
class Replicas:
    """Two processes that share a server."""

    first: ValkeyCounts
    second: ValkeyCounts


@pytest.fixture
async def replicas(tmp_path: Path) -> AsyncIterator[Replicas]:
    """Open both."""
    with valkey_server(tmp_path) as url:
        both = [ValkeyCounts.at(url, "session_store_url", "orchestrator", RandomIds()) for _ in range(2)]
        yield Replicas(*both)
        for each in both:
            await each.close()


@needs_server
async def test_replicas_count_together(replicas: Replicas) -> None:
    """What one has let in the other refuses; a service of another name counts by itself."""
    quotas = Quotas(requests_per_minute=3, calls_at_once=2)
    ticket = await replicas.first.begin("anna", quotas, 60)
    await replicas.second.begin("anna", quotas, 60)
    full = await _refused(replicas.first, "anna", quotas)
    await replicas.second.end("anna", ticket)
    await replicas.second.begin("anna", quotas, 60)
    await replicas.first.end("anna", ticket)
    spent = await _refused(replicas.second, "anna", Quotas(requests_per_minute=3))

    assert full.metadata["quota"] == "calls_at_once"
    assert spent.metadata["quota"] == "requests_per_minute"


@needs_server
async def test_a_replica_that_dies_blocks_nobody_for_long(replicas: Replicas) -> None:
    """Its calls count no longer than they could have lasted."""
    quotas = Quotas(calls_at_once=1)
    await replicas.first.begin("anna", quotas, 0.0)

    await replicas.second.begin("anna", quotas, 60)


class Away:
    """Shared counts whose server is away until told otherwise."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_away = True
        self.running: list[str] = []

    async def begin(self, name: str, quotas: Quotas, seconds: float) -> str:
        """Fail, or count."""
        self.asked += 1
        if self.is_away:
            raise DependencyUnavailable("away")
        self.running.append(f"{name} {quotas.calls_at_once} {seconds:.0f} {self.asked}")
        return self.running[-1]

    async def end(self, name: str, ticket: str) -> None:
        """Fail, or count no more."""
        if self.is_away:
            raise DependencyUnavailable("away")
        self.running.remove(ticket)


async def test_while_the_server_is_away_each_replica_counts_for_itself() -> None:
    """It is told once, the server is left alone for some seconds, and then counts again."""
    clock, shared = FakeClock(), Away()
    meter = Meter(clock, shared=shared)
    anna = Entry("anna", Rights(), Quotas(calls_at_once=1))
    with structlog.testing.capture_logs() as lines:
        async with meter.call(anna):
            with pytest.raises(QuotaExceeded):
                async with meter.call(anna):
                    pass
        asked = shared.asked
        clock.advance(6)
        shared.is_away = False
        async with meter.call(anna), meter.call(anna):  # as the server has it
            pass

    assert asked == 1
    assert [(each["event"], each["log_level"]) for each in lines] == [
        ("access.degraded", "warning"),
        ("access.shared_again", "info"),
    ]


async def test_a_call_that_ends_while_the_server_is_away_is_ended_there_when_it_is_back() -> None:
    """Else it would count for as long as it could have lasted, and its caller would wait for nothing."""
    clock, shared = FakeClock(), Away()
    shared.is_away = False
    meter = Meter(clock, shared=shared)
    anna = Entry("anna", Rights(), Quotas(calls_at_once=2))
    async with meter.call(anna), meter.call(anna):
        shared.is_away = True
    left = len(shared.running)
    shared.is_away = False
    clock.advance(6)
    async with meter.call(anna):
        running = len(shared.running)

    assert (left, running, shared.running) == (2, 1, [])


class Slow(Away):
    """Counts at once, and answers when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.counted, self.may_answer = asyncio.Event(), asyncio.Event()

    async def begin(self, name: str, quotas: Quotas, seconds: float) -> str:
        """Count, then wait."""
        ticket = await super().begin(name, quotas, seconds)
        self.counted.set()
        await self.may_answer.wait()
        return ticket


async def test_a_call_that_is_cancelled_while_it_is_counted_counts_no_more() -> None:
    """The server has counted it by then: it is told with the next call, and not left to think that it runs."""
    shared = Slow()
    meter = Meter(FakeClock(), shared=shared)
    anna = Entry("anna", Rights(), Quotas(calls_at_once=2))
    leaving = asyncio.create_task(meter.call(anna).__aenter__())
    await shared.counted.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    shared.may_answer.set()
    await asyncio.sleep(0)
    async with meter.call(anna):
        running = len(shared.running)

    assert (running, shared.running) == (1, [])


def test_an_address_that_is_none_keeps_the_service_from_starting() -> None:
    """The setting is named."""
    with pytest.raises(StartupError, match="session_store_url"):
        ValkeyCounts.at("nowhere", "session_store_url", "orchestrator", SequentialIds())
