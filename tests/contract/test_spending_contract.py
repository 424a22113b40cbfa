"""What callers have spent, in every store alike, and by all replicas where they share one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import structlog

from orchestrator.adapters.spending.sqlite import SqliteSpending
from orchestrator.adapters.spending.valkey import ValkeySpending
from tests.fakes.clock import FakeClock
from tests.fakes.valkey_server import needs_server, valkey_server

Open = Callable[[str], SqliteSpending | ValkeySpending]

DAY = 86_400


@pytest.fixture(params=["sqlite", pytest.param("valkey", marks=needs_server)])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[FakeClock, Open]]:
    """Open stores, each of which is told of the cost of a caller."""
    clock = FakeClock()
    opened: list[SqliteSpending | ValkeySpending] = []

    def embedded(who: str) -> SqliteSpending:
        own = SqliteSpending(tmp_path / f"{who}.db", clock, lambda: who, is_priced=True)
        opened.append(own)
        return own

    if request.param == "sqlite":
        yield clock, embedded
    else:
        with valkey_server(tmp_path) as url:

            def shared(who: str) -> ValkeySpending:
                both = ValkeySpending.at(url, embedded(who), clock, lambda: who)
                opened.append(both)
                return both

            yield clock, shared
            for each in reversed(opened):
                await each.close()
            return
    for each in opened:
        await each.close()


async def test_a_sum_counts_at_once_and_until_midnight(stores: tuple[FakeClock, Open]) -> None:
    """For its caller alone."""
    clock, open_one = stores
    anna = open_one("anna")
    for usd in (0.5, 0.0, 0.25):
        anna.add(usd)
    now = [await anna.today(name) for name in ("anna", "bert")]
    clock.jump(DAY)
    tomorrow = await anna.today("anna")

    assert now == [0.75, 0.0]
    assert tomorrow == 0.0


@needs_server
async def test_replicas_count_together_and_go_on_apart_without_the_server(tmp_path: Path) -> None:
    """What was spent while it was away is told when it is back."""
    clock = FakeClock()
    (tmp_path / "server").mkdir()
    with structlog.testing.capture_logs() as lines:
        with valkey_server(tmp_path / "server") as url:
            own = [SqliteSpending(None, clock, lambda: "anna", is_priced=True) for _ in range(2)]
            first, second = (ValkeySpending.at(url, each, clock, lambda: "anna") for each in own)
            first.add(0.5)
            second.add(1.0)
            await second.today("anna")
            together = [await each.today("anna") for each in (first, second)]
        first.add(2.0)
        apart = [await each.today("anna") for each in (first, second)]
        clock.advance(6)
        with valkey_server(tmp_path / "server"):  # an empty one at the same place: it has forgotten
            await first.today("anna")
            again = await second.today("anna")
            for shared, each in zip((first, second), own, strict=True):
                await shared.close()
                await each.close()

    assert together == [1.5, 1.5]
    assert apart == [2.5, 1.0]
    assert again == 2.0
    assert [each["event"] for each in lines if each["log_level"] == "warning"] == ["access.degraded"] * 2


@needs_server
async def test_a_server_that_takes_half_of_what_it_is_told_counts_nothing_twice(tmp_path: Path) -> None:
    """A sum and its end are kept together or not at all: one that was half kept would be told again and again."""
    clock = FakeClock()
    with valkey_server(tmp_path) as url, structlog.testing.capture_logs():
        own = SqliteSpending(None, clock, lambda: "anna", is_priced=True)
        shared = ValkeySpending.at(url, own, clock, lambda: "anna")
        await shared._client.acl_setuser("default", enabled=True, commands=["-expire"])
        shared.add(0.5)
        for _ in range(3):
            found = await shared.today("anna")
            clock.advance(6)
        await shared._client.acl_setuser("default", enabled=True, commands=["+expire"])
        paid = await shared.today("anna")
        kept = [await shared._client.ttl(key) async for key in shared._client.scan_iter("cgrag:spent:*")]
        await shared.close()
        await own.close()

    assert (found, paid) == (0.5, 0.5)
    assert kept == [pytest.approx(2 * DAY, abs=60)]
