"""What every cache of facts does."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from indexer.adapters.parsing.facts_cache import SqliteFactsCache
from indexer.domain.model import Fact, FactKind, ParsedFile, SymbolDef, SymbolKind
from indexer.domain.parsing import FileFacts
from indexer.domain.snapshots.lexical import count_file
from tests.fakes.indexer_jobs import MemoryFactsCache

Cache = MemoryFactsCache | SqliteFactsCache

PARSED = ParsedFile(
    "python",
    (
        SymbolDef(SymbolKind.MODULE, "m", "", -1, 1, 3, "", "Doc."),
        SymbolDef(SymbolKind.FUNCTION, "f", "f", 0, 1, 2, "def f()", "", ("cached",), is_public=False, complexity=3),
    ),
    (Fact(1, FactKind.RAISES, "ValueError", 2),),
    b"packed",
)
TEXT = "def f():\n    raise ValueError\n"


def facts(key: str) -> FileFacts:
    return FileFacts(key, PARSED, count_file("m.py", TEXT, PARSED))


@pytest.fixture(params=["memory", "sqlite"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cache]:
    """Return each implementation in turn, empty."""
    if request.param == "memory":
        yield MemoryFactsCache()
        return
    made = SqliteFactsCache(tmp_path / "facts.db", 1 << 30)
    yield made
    made.close()


def test_facts_come_back_as_they_were_kept(cache: Cache) -> None:
    """Symbols, facts, linker input, counts and errors all survive."""
    text_only = FileFacts("b", None, count_file("b", "x", ParsedFile("", (), (), b"")), "syntax error")
    cache.put([facts("a"), text_only])

    assert cache.get(["a", "b", "c"]) == {"a": facts("a"), "b": text_only}


def test_results_of_limits_are_not_kept(cache: Cache) -> None:
    """What a timeout or a crash left is not taken for the truth next time."""
    cache.put([dataclasses.replace(facts("a"), keep=False)])

    assert cache.get(["a"]) == {}


def test_many_keys_are_looked_up_at_once(cache: Cache) -> None:
    """More keys than one SQL statement takes are no matter."""
    cache.put([facts(str(number)) for number in range(1200)])

    assert len(cache.get([str(number) for number in range(2000)])) == 1200


def test_damaged_entries_count_as_missing(tmp_path: Path) -> None:
    """An entry that is not what was packed is left out, others stay."""
    file = tmp_path / "facts.db"
    cache = SqliteFactsCache(file, 1 << 30)
    cache.put([facts("a"), facts("b")])
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE facts SET packed = x'00ff' WHERE key = 'a'")
    found = cache.get(["a", "b"])
    cache.close()

    assert list(found) == ["b"]


def test_oldest_facts_go_when_there_are_too_many(tmp_path: Path) -> None:
    """Pruning removes the oldest entries and keeps the newest."""
    cache = SqliteFactsCache(tmp_path / "facts.db", 1)
    cache.put([facts(str(number)) for number in range(100)])
    cache.prune()
    found = cache.get([str(number) for number in range(100)])
    cache.close()

    assert 70 <= len(found) <= 90
    assert "99" in found
    assert "0" not in found


def test_a_cache_that_cannot_be_used_now_is_done_without_and_kept(tmp_path: Path) -> None:
    """While somebody else holds the file nothing is found or kept; afterwards everything is still there."""
    file = tmp_path / "facts.db"
    with closing(SqliteFactsCache(file, 1 << 20)) as cache:
        cache.put([facts("a")])
    with closing(sqlite3.connect(file)) as holder:
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        with closing(SqliteFactsCache(file, 1 << 20, wait_seconds=0.0)) as locked:
            locked.put([facts("b")])
            locked.prune()
            missing = locked.get(["a", "b"])
    with closing(SqliteFactsCache(file, 1 << 20)) as cache:
        found = cache.get(["a", "b"])

    assert missing == {}
    assert list(found) == ["a"]


def test_free_room_in_the_file_costs_no_facts(tmp_path: Path) -> None:
    """After a removal whose room could not be given back nothing more goes, and the file is made smaller."""
    file = tmp_path / "facts.db"
    with closing(SqliteFactsCache(file, 1 << 30)) as cache:
        cache.put([facts(str(number)) for number in range(3000)])
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DELETE FROM facts WHERE id <= 2000")
    size = file.stat().st_size
    with closing(SqliteFactsCache(file, size * 2 // 3)) as cache:
        cache.prune()
        cache.prune()
        found = cache.get([str(number) for number in range(3000)])

    assert len(found) == 1000
    assert file.stat().st_size < size // 2
