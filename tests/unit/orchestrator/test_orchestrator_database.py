"""A SQLite file of the orchestrator: transactions do not meet."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from orchestrator.adapters.database import Database

if TYPE_CHECKING:
    import sqlite3


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
