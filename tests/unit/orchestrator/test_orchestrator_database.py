"""A SQLite file of the orchestrator: transactions do not meet."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.database import Database

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


async def test_work_is_done_one_after_the_other() -> None:
    """There is one connection: what another one did in the meantime would be rolled back with a work that fails."""
    database = Database(None, "answers")
    begun, go = threading.Event(), threading.Event()
    done: list[str] = []

    def slow(_: sqlite3.Connection) -> None:
        begun.set()
        go.wait(30)
        done.append("slow")

    def quick(_: sqlite3.Connection) -> None:
        done.append("quick")

    first = asyncio.create_task(database.run(slow))
    await asyncio.to_thread(begun.wait, 30)
    second = asyncio.create_task(database.run(quick))
    for _ in range(50):
        await asyncio.to_thread(int)  # whatever may come to pass meanwhile
    go.set()
    await asyncio.gather(first, second)
    await database.close()

    assert done == ["slow", "quick"]


async def test_a_folder_that_cannot_be_made_is_a_store_that_does_not_work(tmp_path: Path) -> None:
    """As a file that cannot be written: who can do without the store does so; and callers are not told where it is."""
    (tmp_path / "data").touch()
    database = Database(tmp_path / "data" / "orchestrator" / "answers.db", "answers")
    with pytest.raises(DependencyUnavailable, match="check its disk") as told:
        await database.run(lambda _: None)
    await database.close()

    assert str(tmp_path) not in str(told.value)
