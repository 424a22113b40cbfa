"""States of tasks: whole, apart by repository, never overwritten unseen, and forgotten in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from common.core.contract.question import Anchors, StackFrame
from common.core.errors import DependencyUnavailable, Kind
from retriever.adapters.state.tasks_sqlite import SqliteTaskStore
from retriever.adapters.task_journal import LoggedTasks
from retriever.domain.errors import StorageFull
from retriever.domain.tasks.task import (
    ContextFormat,
    ContextRequest,
    TaskState,
)
from tests.fakes.clock import FakeClock
from tests.fakes.failing_disk import failing_disk


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


async def test_a_disk_that_is_full_is_told_as_such(tmp_path: Path) -> None:
    """With what to do, and without the place of the file; what was kept is read, and space that is freed is used."""
    store = _store(tmp_path, FakeClock())
    await store.keep(TaskState(_request("kept"), "s"))
    with store._file.using() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageFull, match="free space") as refused:
        await store.keep(TaskState(_request("large" * 10_000), "s"))
    with store._file.using() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    await store.keep(TaskState(_request("large" * 10_000), "s"))

    assert (refused.value.kind, str(tmp_path) in str(refused.value)) == (Kind.OVERLOADED, False)
    assert await store.load("shop", "kept")
    store.close()


async def test_a_disk_that_fails_is_a_dependency_that_does_not_answer(tmp_path: Path) -> None:
    """Writing or reading; the log has what is wrong."""
    store = _store(tmp_path, FakeClock())
    await store.load("shop", "t")  # which opens it
    with capture_logs() as logs:
        with failing_disk(), pytest.raises(DependencyUnavailable, match="tasks"):
            await store.keep(TaskState(_request(), "s"))
        store.close()
        with pytest.raises(DependencyUnavailable, match="tasks"):
            await store.load("shop", "t")

    assert [each["event"] for each in logs] == ["tasks.not_reached"] * 2
