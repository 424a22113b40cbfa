"""A SQLite file of the orchestrator: transactions do not meet."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from common.core.errors import DependencyUnavailable, Kind
from orchestrator.adapters.stores.database import Database
from orchestrator.domain.answers.errors import StorageFull
from tests.fakes.clock import FakeClock
from tests.fakes.failing_disk import failing_disk


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


async def test_a_full_disk_has_its_own_name() -> None:
    """Callers may try again once there is room; what can do without the store does so."""
    database = Database(None, "answers")

    def write_much(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE much (x)")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite says of this what it says of a full disk
        connection.execute("INSERT INTO much VALUES (zeroblob(1000000))")

    with pytest.raises(StorageFull, match=r"is full\); free space") as told:
        await database.run(write_much)
    await database.close()

    assert isinstance(told.value, DependencyUnavailable)
    assert (told.value.kind, told.value.reason) == (Kind.OVERLOADED, "ERROR_REASON_STORAGE_FULL")


async def test_a_store_is_proven_by_what_it_keeps() -> None:
    """Nothing is written to prove what work has just proven; where nothing was kept for a while, it is tried."""
    clock = FakeClock()
    database = Database(None, "answers", clock.monotonic)
    pages: list[int] = []

    def count(connection: sqlite3.Connection) -> None:
        pages.append(connection.total_changes)

    await database.prove()
    await database.run(count)
    await database.prove()
    await database.run(count)
    clock.advance(6)
    await database.prove()
    await database.run(count)
    await database.close()

    assert pages == [2, 2, 4]


async def test_a_full_disk_is_full_until_an_answer_fits_in() -> None:
    """A page that is free would be taken by the next answer; what is kept is kept, and takes no room in the end."""
    database = Database(None, "answers")

    def write_much(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO proof (room) VALUES (zeroblob(10000000))")

    def allow(more: int) -> Callable[[sqlite3.Connection], None]:
        def work(connection: sqlite3.Connection) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + more}")

        return work

    await database.prove()
    await database.run(allow(3))
    await database.prove()
    with pytest.raises(StorageFull):
        await database.run(write_much)
    with pytest.raises(StorageFull):
        await database.prove()
    await database.run(allow(100))
    await database.prove()
    kept = await database.run(lambda connection: connection.execute("SELECT count(*) FROM proof").fetchone())
    await database.close()

    assert kept == (0,)


async def test_a_file_that_could_not_be_written_is_opened_anew(tmp_path: Path) -> None:
    """SQLite stays with what it found when it opened a file, though the disk is mended since."""
    database = Database(tmp_path / "answers.db", "answers")
    await database.run(lambda connection: connection.execute("PRAGMA query_only = 1"))
    with pytest.raises(DependencyUnavailable, match="readonly"):
        await database.prove()
    await database.prove()
    await database.close()


async def test_what_is_kept_can_be_read_where_nothing_more_can_be_written(tmp_path: Path) -> None:
    """Also by a process that has just started: opening a file that is there writes nothing."""
    file = tmp_path / "answers.db"
    before, after = Database(file, "answers"), Database(file, "answers")
    await before.run(lambda connection: connection.execute("INSERT INTO unsettled (answer_id) VALUES ('ans_1')"))
    with failing_disk():
        [kept] = await after.run(lambda connection: connection.execute("SELECT answer_id FROM unsettled").fetchall())
        with pytest.raises(DependencyUnavailable):
            await after.prove()
    await after.prove()
    for database in (after, before):
        await database.close()

    assert kept == ("ans_1",)


@pytest.mark.parametrize("at", [0, 4096])
async def test_a_damaged_file_is_set_aside(tmp_path: Path, at: int) -> None:
    """Whoever meets the damage is told; after that the store works, and the file is kept beside."""
    file = tmp_path / "answers.db"
    database = Database(file, "answers")
    await database.run(lambda connection: connection.execute("CREATE TABLE much (x)"))
    await database.run(lambda connection: connection.executemany("INSERT INTO much VALUES (?)", [("x" * 900,)] * 99))
    await database.close()
    content = bytearray(file.read_bytes())
    content[at : at + 65536] = b"\xff" * len(content[at : at + 65536])
    file.write_bytes(content)
    database = Database(file, "answers")

    def count(connection: sqlite3.Connection) -> int:
        return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])

    with pytest.raises(DependencyUnavailable, match="answers store does not work"):
        await database.run(lambda connection: connection.execute("SELECT sum(length(x)) FROM much").fetchall())
    counted = await database.run(count)
    await database.close()

    assert counted == 0
    assert (tmp_path / "answers.db.damaged").read_bytes()[4096:] == content[4096:]


async def test_a_disk_that_hangs_is_told_of_at_once(tmp_path: Path) -> None:
    """By new work: what waits already may be done yet, and all is well when the disk is."""
    clock = FakeClock()
    database = Database(tmp_path / "answers.db", "answers", clock.monotonic)
    begun, go = threading.Event(), threading.Event()

    def hang(_: sqlite3.Connection) -> None:
        begun.set()
        go.wait(30)

    hanging = asyncio.create_task(database.run(hang))
    await asyncio.to_thread(begun.wait, 30)
    clock.advance(9)
    waiting = asyncio.create_task(database.run(lambda _: "done"))
    await asyncio.sleep(0.01)
    clock.advance(2)
    with pytest.raises(DependencyUnavailable, match=r"answers store does not work \(its disk hangs\)"):
        await asyncio.wait_for(database.run(lambda _: None), 10)
    go.set()
    await hanging
    after = await waiting, await database.run(lambda _: "again")
    await database.close()

    assert after == ("done", "again")
