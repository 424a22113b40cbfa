"""A file that several open at the same moment, before it is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

from common.stores.sqlite import open_database

if TYPE_CHECKING:
    from pathlib import Path

OPENERS = 4


def test_whoever_opens_a_new_file_at_once_has_it(tmp_path: Path) -> None:
    """SQLite refuses one of two that switch to the write-ahead log, without the wait that it was told of."""

    def opened(file: Path) -> int:
        barrier.wait()
        database = open_database(file, "CREATE TABLE IF NOT EXISTS t (n INTEGER)")
        database.execute("INSERT INTO t VALUES (1)")
        count = database.execute("SELECT count(*) FROM t").fetchone()[0]
        database.close()
        return int(count)

    barrier = Barrier(OPENERS)
    with ThreadPoolExecutor(OPENERS) as pool:
        for number in range(40):
            counts = pool.map(opened, [tmp_path / f"{number}.db"] * OPENERS)
            assert max(counts) == OPENERS
