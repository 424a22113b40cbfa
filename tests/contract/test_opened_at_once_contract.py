"""What every SQLite file that several processes share does when they open it at the same moment, before it is there."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from common.stores.sqlite import open_database
from indexer.adapters.parsing.facts_cache import SqliteFactsCache
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.domain.model import ParsedFile
from indexer.domain.parsing import FileFacts
from indexer.domain.snapshots.lexical import count_file
from orchestrator.adapters.stores.database import Database

OPENERS = 4
FILES = 25


def plain(file: Path, number: int) -> bool:
    """Open the file that all others are made of."""
    database = open_database(file, "CREATE TABLE IF NOT EXISTS t (n INTEGER)")
    database.execute("INSERT INTO t VALUES (?)", (number,))
    kept = database.execute("SELECT count(*) FROM t WHERE n = ?", (number,)).fetchone()
    database.close()
    return bool(kept == (1,))


def orchestrator(file: Path, number: int) -> bool:
    """Open an orchestrator's; its free pages can be given back, whoever made it."""

    def work(connection: sqlite3.Connection) -> bool:
        connection.execute("INSERT INTO debts VALUES ('r', 'o', ?, 1, 0)", (str(number),))
        return bool(connection.execute("PRAGMA auto_vacuum").fetchone() == (2,))

    async def used() -> bool:
        database = Database(file, "answers")
        kept = await database.run(work)
        await database.close()
        return kept

    return asyncio.run(used())


def facts(file: Path, number: int) -> bool:
    """Open a cache of facts."""
    cache = SqliteFactsCache(file, 1 << 30)
    text = count_file("a", "x", ParsedFile("", (), (), b""))
    cache.put([FileFacts(str(number), None, text, "syntax error")])
    found = cache.get([str(number)])
    cache.close()
    return len(found) == 1


def embeddings(file: Path, number: int) -> bool:
    """Open a cache of vectors."""
    cache = EmbeddingCache(file, 1000)
    cache.put("model", [str(number)], np.ones((1, 4), np.float32))
    found = cache.get("model", [str(number)])
    cache.close()
    return len(found) == 1


@pytest.mark.parametrize("store", [plain, orchestrator, facts, embeddings])
def test_whoever_opens_a_new_file_at_once_has_it(tmp_path: Path, store: Callable[[Path, int], bool]) -> None:
    """SQLite refuses one of two that switch to the write-ahead log, without the wait that it was told of."""

    def opened(numbered: tuple[Path, int]) -> bool:
        barrier.wait()
        return store(*numbered)

    barrier = Barrier(OPENERS)
    with ThreadPoolExecutor(OPENERS) as pool:
        for number in range(FILES):
            file = tmp_path / f"{number}.db"
            assert all(pool.map(opened, [(file, opener) for opener in range(OPENERS)]))
