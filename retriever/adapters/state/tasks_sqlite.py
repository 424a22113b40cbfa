"""States of tasks in SQLite, bounded in days and in number."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import structlog

from common.core.errors import DependencyUnavailable, Overloaded
from common.stores.sqlite import opened_anew, primary_code
from retriever.adapters.state.plain_values import from_plain, to_plain
from retriever.adapters.state.sqlite_file import StateFile, open_state_file
from retriever.domain.errors import StorageFull
from retriever.domain.tasks.task import TaskState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from common.core.clock import Clock

_LOG = structlog.get_logger(__name__)
_RETRY_SECONDS = 0.5


class SqliteTaskStore:
    """
    Implements `TaskStore`.

    Args:
        path: The database; made with its folder if it is not there.
        days: Age at which a task is forgotten.
        tasks: Tasks that are kept at most; the oldest go first.
    """

    def __init__(self, path: Path, clock: Clock, *, days: float, tasks: int) -> None:
        opening = partial(open_state_file, path, "tasks", "synchronous = FULL")
        self._file = StateFile(partial(opened_anew, path, opening), "tasks", clock, days=days, most=tasks)

    async def load(self, repository: str, task_id: str) -> TaskState | None:
        """Return the last stored state; None if there is none. Raises DependencyUnavailable."""
        return await asyncio.to_thread(self._load, repository, task_id)

    async def keep(self, state: TaskState) -> TaskState:
        """
        Store a state in place of the stored one, which must have the same version.

        Raises Overloaded if another call has replaced that version, StorageFull, DependencyUnavailable.
        """
        return await asyncio.to_thread(self._keep, state)

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Forget the tasks of a repository that were last kept before a moment."""
        await asyncio.to_thread(self._file.forget, repository, before)

    def close(self) -> None:
        """Close the database."""
        self._file.close()

    def _load(self, repository: str, task_id: str) -> TaskState | None:
        with _failures_told(), self._file.using() as connection:
            row = connection.execute(
                "SELECT content FROM tasks WHERE repository = ? AND task_id = ?", (repository, task_id)
            ).fetchone()
        return from_plain(TaskState, json.loads(row[0])) if row else None

    def _keep(self, state: TaskState) -> TaskState:
        kept = replace(state, version=state.version + 1)
        key = (state.request.repository, state.request.task_id)
        content = json.dumps(to_plain(kept))
        now = self._file.now()
        with _failures_told(), self._file.using() as connection:
            if state.version:
                cursor = connection.execute(
                    "UPDATE tasks SET version = ?, time = ?, content = ?"
                    " WHERE repository = ? AND task_id = ? AND version = ?",
                    (kept.version, now, content, *key, state.version),
                )
            else:
                cursor = connection.execute(
                    "INSERT INTO tasks (repository, task_id, version, time, content) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT DO NOTHING",
                    (*key, kept.version, now, content),
                )
                self._file.prune(connection)
        if cursor.rowcount != 1:
            raise replaced_meanwhile(key[1])
        return kept


@contextmanager
def _failures_told() -> Iterator[None]:
    """Translate errors of the store into errors for callers, without the path of its file."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        metadata = {"dependency": "tasks"}
        if primary_code(error) == sqlite3.SQLITE_FULL:
            text = "the retriever's disk is full, the task was not kept; free space on it and send the request again"
            raise StorageFull(text, metadata=metadata) from error
        _LOG.warning("tasks.not_reached", problem=str(error))
        text = "the store of tasks does not work; the log of the retriever says why"
        raise DependencyUnavailable(text, metadata=metadata) from error


def replaced_meanwhile(task_id: str) -> Overloaded:
    """Return the error of a state that another call has replaced."""
    text = f"task {task_id!r} is being worked on by another call; try again to see its result"
    return Overloaded(text, retry_after_seconds=_RETRY_SECONDS)
