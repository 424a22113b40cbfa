"""States of tasks: whole, apart by repository, never overwritten unseen, and forgotten in time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from common.core.errors import Overloaded
from retriever.adapters.task_journal import LoggedTasks
from retriever.adapters.task_store import SqliteTaskStore
from retriever.domain.evidence import ContextSource, EvidenceKind
from retriever.domain.question import Anchors, StackFrame
from retriever.domain.tasks import (
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
    StageRecord,
    TaskState,
)
from retriever.domain.values import Symbol, SymbolKind
from tests.fakes.clock import FakeClock


def _request(task_id: str = "t", repository: str = "shop") -> ContextRequest:
    anchors = Anchors(paths=("a.py",), frames=(StackFrame("a.py", 3, "f"),))
    return ContextRequest(repository, task_id, "Do it", ("scope",), 800, 100, 3, ContextFormat.PROMPT, anchors)


def _full() -> TaskState:
    symbol = Symbol(1, 1, None, SymbolKind.CLASS, "a.py", "a", "python", False, "A", "A", 1, 9, "class A", "")
    kind, source, tier = EvidenceKind.SOURCE, ContextSource.CODE, ContextTier.TEST
    entry = ContextEntry("ev", kind, source, "A", symbol.span, symbol, "x", 1, "h", ContextRole.TYPE, tier, "why")
    done = (StageRecord("scope", 1.5),)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    package = ContextPackage("t", "s", 2, (entry,), (FileDependency("a", "b"),), 700, 9, "text", done, now)
    pick = Pick(1, ContextRole.PRIMARY, ContextTier.SEED, "why", 0.5, (Note(3, "assert x"),), requested=True)
    gathered = Gathered((ScopedFile("a.py", ContextTier.CO_CHANGE, "why"),), (1,), (2, 3), (pick,))
    return TaskState(_request(), "s", 0, done, gathered, (Refinement(files=("b.py",), reason="r"),), package)


def _store(path: Path, clock: FakeClock, *, tasks: int = 10) -> SqliteTaskStore:
    return SqliteTaskStore(path / "retriever/tasks.db", clock, days=7, tasks=tasks)


async def test_a_state_comes_back_whole_in_another_process(tmp_path: Path) -> None:
    """Stage outputs, progress, refinements and package; the request keeps its fingerprint."""
    first = _store(tmp_path, FakeClock())
    kept = await first.keep(_full())
    first.close()
    second = _store(tmp_path, FakeClock())

    found = await second.load("shop", "t")

    assert found == kept == replace(_full(), version=1)
    assert found.request.fingerprint == _request().fingerprint
    assert await second.load("other", "t") is None
    second.close()


async def test_a_state_that_was_replaced_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """The slower of two replicas is told to try again, on the first state and on later ones."""
    store = _store(tmp_path, FakeClock())
    state = TaskState(_request(), "s")
    kept = await store.keep(state)
    with pytest.raises(Overloaded):
        await store.keep(state)
    await store.keep(kept)
    with pytest.raises(Overloaded) as refused:
        await store.keep(kept)

    assert refused.value.retry_after_seconds
    store.close()


@pytest.mark.parametrize(("days", "tasks", "left"), [(8, 10, False), (6, 10, True), (0, 1, False)])
async def test_old_and_surplus_tasks_are_forgotten(tmp_path: Path, days: int, tasks: int, left: bool) -> None:
    """By age, and the oldest first when there are too many."""
    clock = FakeClock()
    store = _store(tmp_path, clock, tasks=tasks)
    await store.keep(TaskState(_request("old"), "s"))
    clock.advance(days * 86400 + 1)
    await store.keep(TaskState(_request("new"), "s"))

    assert (await store.load("shop", "old") is not None) == left
    assert await store.load("shop", "new")
    store.close()


def test_the_effective_budget_is_logged() -> None:
    """Window, reserve and what is left, as numbers."""
    with capture_logs() as logs:
        LoggedTasks().budget_set(_request())

    assert logs[0]["event"] == "context.budget_set"
    assert (logs[0]["window_tokens"], logs[0]["reserved_tokens"], logs[0]["limit_tokens"]) == (800, 100, 700)
