"""States of tasks, in every store alike: whole, apart by repository, and never overwritten unseen."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from common.core.contract.question import Anchors, StackFrame
from common.core.errors import DependencyUnavailable, Overloaded, StartupError
from retriever.adapters.state.plain_values import from_plain, to_plain
from retriever.adapters.state.tasks_sqlite import SqliteTaskStore
from retriever.adapters.state.tasks_valkey import ValkeyTaskStore
from retriever.domain.evidence.piece import ContextSource, EvidenceKind
from retriever.domain.tasks.context import StageTime
from retriever.domain.tasks.task import (
    ContextEntry,
    ContextFormat,
    ContextPackage,
    ContextRequest,
    ContextRole,
    ContextTier,
    FileDependency,
    Gathered,
    Note,
    Pick,
    Refinement,
    ScopedFile,
    TaskState,
)
from retriever.domain.values import Symbol, SymbolKind
from retriever.ports import TaskStore
from tests.fakes.clock import FakeClock
from tests.fakes.valkey_server import needs_server, valkey_server


@pytest.fixture(params=["sqlite", pytest.param("valkey", marks=needs_server)])
async def replica(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Callable[[], TaskStore]]:
    """Open one more store over the same states, as another replica would."""
    if request.param == "sqlite":
        opened: list[SqliteTaskStore] = []

        def open_one() -> TaskStore:
            opened.append(SqliteTaskStore(tmp_path / "tasks.db", FakeClock(), days=7, tasks=10))
            return opened[-1]

        yield open_one
        for store in opened:
            store.close()
        return
    with valkey_server(tmp_path) as url:
        shared: list[ValkeyTaskStore] = []

        def open_shared() -> TaskStore:
            shared.append(ValkeyTaskStore.at(url, days=7))
            return shared[-1]

        yield open_shared
        for each in shared:
            await each.close()


def _request(task_id: str = "t", repository: str = "shop") -> ContextRequest:
    anchors = Anchors(paths=("a.py",), frames=(StackFrame("a.py", 3, "f"),))
    return ContextRequest(repository, task_id, "Do it", ("scope",), 800, 100, 3, ContextFormat.PROMPT, anchors)


def _full() -> TaskState:
    symbol = Symbol(1, 1, None, SymbolKind.CLASS, "a.py", "a", "python", False, "A", "A", 1, 9, "class A", "")
    kind, source, tier = EvidenceKind.SOURCE, ContextSource.CODE, ContextTier.TEST
    entry = ContextEntry("ev", kind, source, "A", symbol.span, symbol, "x", 1, "h", ContextRole.TYPE, tier, "why")
    done = (StageTime("scope", 1.5),)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    package = ContextPackage("t", "s", 2, (entry,), (FileDependency("a", "b"),), 700, 9, "text", done, now)
    pick = Pick(1, ContextRole.PRIMARY, ContextTier.SEED, "why", 0.5, (Note(3, "assert x"),), requested=True)
    gathered = Gathered((ScopedFile("a.py", ContextTier.CO_CHANGE, "why"),), (1,), (2, 3), (pick,))
    return TaskState(_request(), "s", 0, done, gathered, (Refinement(files=("b.py",), reason="r"),), package)


async def test_a_state_comes_back_whole_in_another_replica(replica: Callable[[], TaskStore]) -> None:
    """Stage outputs, progress, refinements and package; the request keeps its fingerprint."""
    kept = await replica().keep(_full())
    second = replica()

    found = await second.load("shop", "t")

    assert found == kept == replace(_full(), version=1)
    assert found.request.fingerprint == _request().fingerprint
    assert await second.load("other", "t") is None


def test_states_of_other_versions_can_be_read() -> None:
    """Fields that this version lacks are passed over, those that the other one lacked have their defaults."""
    plain = json.loads(json.dumps(to_plain(_full())))
    package, gathered = plain[-1], plain[4]
    package.append("of a later version")
    gathered.pop()

    assert from_plain(TaskState, plain) == _full()


async def test_a_state_that_was_replaced_meanwhile_is_not_overwritten(replica: Callable[[], TaskStore]) -> None:
    """The slower of two replicas is told to try again, on the first state and on later ones."""
    fast, slow = replica(), replica()
    state = TaskState(_request(), "s")
    kept = await fast.keep(state)
    with pytest.raises(Overloaded):
        await slow.keep(state)
    newest = await fast.keep(kept)
    with pytest.raises(Overloaded) as refused:
        await slow.keep(kept)

    assert refused.value.retry_after_seconds
    assert await slow.load("shop", "t") == newest


@needs_server
async def test_a_server_forgets_by_age_and_its_absence_is_told(tmp_path: Path) -> None:
    """The server's own clock counts from the last change; one that is gone is named, with the setting."""
    with valkey_server(tmp_path) as url:
        store = ValkeyTaskStore.at(url, days=2)
        await store.keep(TaskState(_request(), "s"))
        lifetimes = [await store._client.ttl(key) async for key in store._client.scan_iter()]  # the only way to see
    with pytest.raises(DependencyUnavailable, match="task_store_url"):
        await store.load("shop", "t")
    with pytest.raises(DependencyUnavailable, match="task_store_url"):
        await store.keep(TaskState(_request("u"), "s"))
    await store.close()

    assert lifetimes == [pytest.approx(2 * 86400, abs=60)]


def test_an_address_that_is_none_is_refused_without_repeating_it() -> None:
    """It may hold a password."""
    with pytest.raises(StartupError, match="task_store_url") as refused:
        ValkeyTaskStore.at("secret@nowhere", days=1)

    assert "secret" not in str(refused.value)


async def test_tasks_of_a_removed_repository_go(replica: Callable[[], TaskStore]) -> None:
    """What was kept before a moment; later ones, and those of other repositories, even of similar names, stay."""
    store = replica()
    assert isinstance(store, SqliteTaskStore | ValkeyTaskStore)
    for name in ("shop", "shop-2", "sho[p]"):
        await store.keep(replace(_full(), request=_request(repository=name)))
    await store.forget_repository("shop", datetime(2025, 12, 31, tzinfo=UTC))
    early = await store.load("shop", "t")
    for name in ("shop", "sho[p]"):
        await store.forget_repository(name, datetime.now(UTC) + timedelta(days=1))
    left = [await replica().load(name, "t") for name in ("shop", "shop-2", "sho[p]")]

    assert early is not None
    assert [each is not None for each in left] == [False, True, False]
