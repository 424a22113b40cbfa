"""The decision log, in every store alike: append-only, apart by repository, and forgotten in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from common.core.contract.evidence import Span
from common.core.errors import DependencyUnavailable, StartupError
from retriever.adapters.state.decisions_postgres import PostgresDecisionLog
from retriever.adapters.state.decisions_sqlite import SqliteDecisionLog
from retriever.domain.evidence.piece import Decision
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import needs_postgres, postgres_database

_DAY = 86400
Log = SqliteDecisionLog | PostgresDecisionLog


def _decision(number: int) -> Decision:
    return Decision(
        stage="sources",
        step="callers hop 2",
        subject=Span("a.py", number, number + 1),
        qualified_name="A.b\0",
        included=number % 2 == 0,
        reason="calls “it”, {or} \\ not",
        score=0.5,
        judge_input="which?",
        judge_output="this",
        judge_latency_ms=1.5,
        judge_tokens=7,
    )


class Opening:
    """Opens the log as processes do that start, and closes it as they do that end."""

    def __init__(self, folder: Path, url: str) -> None:
        self.clock = FakeClock()
        self._folder = folder
        self._url = url
        self._open: list[Log] = []

    def __call__(self, *, retrievals: int = 100) -> Log:
        """Open it once more."""
        if self._url:
            self._open.append(PostgresDecisionLog.at(self._url, self.clock, days=7, retrievals=retrievals))
        else:
            path = self._folder / "retriever/decisions.db"
            self._open.append(SqliteDecisionLog(path, self.clock, days=7, retrievals=retrievals))
        return self._open[-1]

    async def close(self) -> None:
        """Close all that is open, after what it has begun."""
        while self._open:
            log = self._open.pop()
            if isinstance(log, PostgresDecisionLog):
                await log.close()
            else:
                log.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opening]:
    """Give what opens the log."""
    async with AsyncExitStack() as stack:
        url = stack.enter_context(postgres_database()).url if request.param == "postgres" else ""
        opening = Opening(tmp_path, url)
        stack.push_async_callback(opening.close)
        yield opening


async def test_decisions_come_back_whole_and_in_order(opened: Opening) -> None:
    """A second addition goes on where the first ended, also in another process; pages end anywhere."""
    first = opened()
    await first.append("shop", "ret_1", [_decision(1), _decision(2)])
    await first.append("shop", "ret_1", [])
    await opened.close()
    second = opened()
    await second.append("shop", "ret_1", [])
    await second.append("shop", "ret_1", [_decision(3), _decision(4)])

    assert await second.read("shop", "ret_1", 1, 10) == tuple((number, _decision(number)) for number in (2, 3, 4))
    assert await second.read("shop", "ret_1", 0, 3) == tuple((number, _decision(number)) for number in (1, 2, 3))
    assert await second.read("shop", "ret_1", 4, 3) == ()


async def test_equal_ids_of_two_repositories_are_apart(opened: Opening) -> None:
    """Nobody reads the log of a repository that he did not name."""
    log = opened()
    await log.append("shop", "ret_1", [_decision(1)])

    assert await log.read("other", "ret_1", 0, 10) == ()


async def test_additions_of_two_processes_are_all_there(opened: Opening) -> None:
    """Calls about one task may reach both at once: each has its place, none is lost."""
    logs = [opened(), opened()]
    await asyncio.gather(*(logs[number % 2].append("shop", "task", [_decision(number)] * 3) for number in range(20)))
    found = await logs[0].read("shop", "task", 0, 100)

    assert [sequence for sequence, _ in found] == list(range(1, 61))
    assert sorted(decision.subject.start_line for _, decision in found) == sorted([*range(20)] * 3)


@pytest.mark.parametrize(("days", "retrievals", "left"), [(8, 1000, 0), (6, 1000, 1), (0, 1, 0)])
async def test_old_and_surplus_retrievals_are_forgotten(opened: Opening, days: int, retrievals: int, left: int) -> None:
    """By age, and the oldest first when there are too many."""
    log = opened(retrievals=retrievals)
    await log.append("shop", "old", [_decision(1)])
    opened.clock.advance(days * _DAY + 1)
    for number in range(200):
        await log.append("shop", f"new_{number}", [_decision(number)])
    await opened.close()
    log = opened(retrievals=retrievals)

    assert len(await log.read("shop", "old", 0, 10)) == left
    assert len(await log.read("shop", "new_199", 0, 10)) == 1


async def test_decisions_of_a_removed_repository_go(opened: Opening) -> None:
    """What was kept before a moment; later ones, and those of other repositories, stay."""
    log = opened()
    for name in ("shop", "other"):
        await log.append(name, "before", [_decision(1)])
    opened.clock.advance(1)
    removed = opened.clock.now() - timedelta(seconds=0.5)
    await log.append("shop", "after", [_decision(1)])
    await log.forget_repository("shop", removed)

    assert await log.read("shop", "before", 0, 10) == ()
    assert len(await log.read("shop", "after", 0, 10)) == 1
    assert len(await log.read("other", "before", 0, 10)) == 1


@needs_postgres
async def test_a_log_whose_server_is_away_says_so_and_goes_on_later() -> None:
    """The setting is named; nothing is kept halfway."""
    with postgres_database() as database:
        log = PostgresDecisionLog.at(database.url, FakeClock(), days=7, retrievals=100)
        database.go_away()
        with pytest.raises(DependencyUnavailable, match="decision_log_url"):
            await log.append("shop", "ret_1", [_decision(1)])
        database.come_back()
        await log.append("shop", "ret_1", [_decision(2)])
        found = await log.read("shop", "ret_1", 0, 10)
        await log.close()

    assert found == ((1, _decision(2)),)
    with pytest.raises(StartupError, match="decision_log_url"):
        PostgresDecisionLog.at("nowhere", FakeClock(), days=7, retrievals=100)
