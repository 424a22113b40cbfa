"""States of tasks: whole, apart by repository, never overwritten unseen, and forgotten in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from retriever.adapters.state.tasks_sqlite import SqliteTaskStore
from retriever.adapters.task_journal import LoggedTasks
from retriever.domain.question import Anchors, StackFrame
from retriever.domain.tasks import (
    ContextFormat,
    ContextRequest,
    TaskState,
)
from tests.fakes.clock import FakeClock


def _request(task_id: str = "t", repository: str = "shop") -> ContextRequest:
    anchors = Anchors(paths=("a.py",), frames=(StackFrame("a.py", 3, "f"),))
    return ContextRequest(repository, task_id, "Do it", ("scope",), 800, 100, 3, ContextFormat.PROMPT, anchors)


def _store(path: Path, clock: FakeClock, *, tasks: int = 10) -> SqliteTaskStore:
    return SqliteTaskStore(path / "retriever/tasks.db", clock, days=7, tasks=tasks)


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

    assert logs[0]["event"] == "budget.set"
    assert (logs[0]["window_tokens"], logs[0]["reserved_tokens"], logs[0]["limit_tokens"]) == (800, 100, 700)
