"""What callers have spent: counted at once, by day of UTC, kept over restarts."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import structlog

from orchestrator.adapters.spending.sqlite import SqliteSpending
from tests.fakes.clock import FakeClock


async def test_it_is_counted_by_caller_and_day_and_survives_a_restart(tmp_path: Path) -> None:
    """A sum counts before it is written; another process finds it; the next day begins at nothing."""
    clock, who = FakeClock(), "anna"
    first = SqliteSpending(tmp_path / "s.db", clock, lambda: who, is_priced=True)
    first.add(0.5)
    first.add(0.0)
    at_once = await first.today("anna")
    who = "bert"
    first.add(2.0)
    await first.close()
    second = SqliteSpending(tmp_path / "s.db", clock, lambda: "anna", is_priced=True)
    second.add(0.25)
    after = [await second.today(name) for name in ("anna", "bert", "carl")]
    clock.jump(86400)
    tomorrow = await second.today("anna")
    clock.jump(-86400)
    again = await second.today("anna")
    await second.close()

    assert at_once == 0.5
    assert after[1:] == [2.0, 0.0]
    assert tomorrow == 0.0
    assert again == 0.75


async def test_it_counts_while_the_file_does_not_work(tmp_path: Path) -> None:
    """A disk that fails neither stops answers nor lets them run for free."""
    (tmp_path / "s.db").mkdir()
    spending = SqliteSpending(tmp_path / "s.db", FakeClock(), lambda: "anna", is_priced=True)
    with structlog.testing.capture_logs() as lines:
        spending.add(0.5)
        found = await spending.today("anna")
        await spending.close()

    assert found == 0.5
    assert {each["event"] for each in lines} == {"access.cost_unread", "access.cost_unwritten"}


async def test_what_was_spent_is_forgotten_after_a_month(tmp_path: Path) -> None:
    """When something is spent again, and not before."""
    clock = FakeClock()
    spending = SqliteSpending(tmp_path / "s.db", clock, lambda: "anna", is_priced=True)
    for number in range(3):
        spending.add(0.25 * 2**number)
        await asyncio.gather(*spending._writing)
        clock.jump(20 * 86_400)
    await spending.close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as disk:
        kept = disk.execute("SELECT usd FROM spending ORDER BY day").fetchall()

    assert kept == [(0.5,), (1.0,)]


async def test_what_was_written_counts_though_the_file_breaks(tmp_path: Path) -> None:
    """Until the process ends."""
    spending = SqliteSpending(tmp_path / "s.db", FakeClock(), lambda: "anna", is_priced=True)
    spending.add(0.5)
    await asyncio.gather(*spending._writing)
    with closing(sqlite3.connect(tmp_path / "s.db")) as disk:
        disk.execute("DROP TABLE spending")
    with structlog.testing.capture_logs():
        found = await spending.today("anna")
        await spending.close()

    assert found == 0.5


async def test_what_the_file_refused_counts_beside_what_is_in_it(tmp_path: Path) -> None:
    """Also after a restart, and it is written with what is spent next."""
    sums: list[float] = []
    for refusal in ("", "BEFORE INSERT ON spending BEGIN SELECT RAISE(ABORT, 'disk full'); END", ""):
        spending = SqliteSpending(tmp_path / "s.db", FakeClock(), lambda: "anna", is_priced=True)
        with closing(sqlite3.connect(tmp_path / "s.db")) as disk, structlog.testing.capture_logs():
            sums.append(await spending.today("anna"))
            if refusal:
                disk.execute(f"CREATE TRIGGER refusing {refusal}")
            spending.add(1.0)
            sums.append(await spending.today("anna"))
            await asyncio.gather(*spending._writing)
            sums.append(await spending.today("anna"))
            if refusal:
                disk.execute("DROP TRIGGER refusing")
                spending.add(0.5)
            await spending.close()

    assert sums == [0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.5, 3.5, 3.5]


async def test_what_has_no_price_is_told_once() -> None:
    """A bound that can never be reached is a mistake of the settings."""
    spending = SqliteSpending(None, FakeClock(), lambda: "anna", is_priced=False)
    with structlog.testing.capture_logs() as lines:
        await spending.today("anna")
        await spending.today("anna")
        await spending.close()

    assert [each["event"] for each in lines] == ["access.cost_unpriced"]
