"""Reads of a core layer: what is remembered of them, and what becomes of them when the layer is closed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from retriever.adapters.core.database import Database, read_statements
from retriever.adapters.core.files import SqliteFiles
from retriever.adapters.core.symbols import SqliteSymbols
from tests.fakes.core_layer import write_core

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MANY = range(1000, 7000)
"""Ids of symbols that are added to the small core layer."""


class _Reads(Database):
    """A database that remembers the ids of symbols that were read."""

    def __init__(self, core: Path) -> None:
        super().__init__(core, read_statements())
        self.asked: list[str] = []

    def rows(self, statement: str, **parameters: object) -> list[tuple[Any, ...]]:
        if statement == "symbols_by_id":
            self.asked.append(str(parameters["ids"]))
        return super().rows(statement, **parameters)


@pytest.fixture
def core(tmp_path: Path) -> Path:
    """A core layer with thousands of symbols."""
    path = write_core(tmp_path) / "code.db"
    with closing(sqlite3.connect(path)) as database:
        database.executemany(
            "INSERT INTO symbols (id, file_id, kind, name, qualified_name, start_line, end_line, signature, docstring,"
            " is_public, decorators, complexity, marks) VALUES (?, 1, 3, 'one', 'one', 1, 2, '', '', 1, '', 1, 0)",
            [(number,) for number in _MANY],
        )
        database.commit()
    return path


@pytest.fixture
def reads(core: Path) -> Iterator[_Reads]:
    """Open it."""
    with closing(_Reads(core)) as opened:
        yield opened


def test_symbols_of_a_short_read_are_remembered(reads: _Reads) -> None:
    """The second question for them reads only what is new."""
    symbols = SqliteSymbols(reads, SqliteFiles(reads))

    first = symbols.get([2, 3])
    second = symbols.get([3, 4, 2])

    assert [each.id for each in (*first, *second)] == [2, 3, 3, 4, 2]
    assert reads.asked == ["[2, 3]", "[4]"]


def test_a_listing_is_not_remembered(reads: _Reads) -> None:
    """Thousands of symbols at once are given, but do not push out those that come up often."""
    symbols = SqliteSymbols(reads, SqliteFiles(reads))
    symbols.get([2, 3])

    assert len(symbols.get(list(_MANY))) == len(symbols.get(list(_MANY))) == len(_MANY)
    assert len(symbols.get([2, 3])) == 2
    assert [len(ids.split(",")) for ids in reads.asked] == [2, len(_MANY), len(_MANY)]


def test_memory_stays_bounded(reads: _Reads) -> None:
    """What does not fit any more makes room: a full round of short reads later, the first ones are read anew."""
    symbols = SqliteSymbols(reads, SqliteFiles(reads))
    rounds = [list(_MANY[start : start + 400]) for start in range(0, len(_MANY), 400)]
    for ids in rounds[:6]:
        symbols.get(ids)

    symbols.get(rounds[5])
    symbols.get(rounds[0])

    assert len(reads.asked) == 7


def test_a_connection_in_use_is_closed_when_it_comes_back(core: Path) -> None:
    """Nobody would take it any more after the database was closed, so its file would stay open."""
    held: list[sqlite3.Connection] = []

    class Watched(Database):
        def _connect(self) -> sqlite3.Connection:
            held.append(super()._connect())
            held[0].create_function("close_all", 0, self.close)
            return held[0]

    database = Watched(core, {"closing": "SELECT close_all();"})

    assert database.rows("closing") == [(None,)]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        held[0].execute("SELECT 1")
    with pytest.raises(sqlite3.ProgrammingError, match="the database is closed"):
        database.rows("closing")


def test_a_file_that_is_cut_while_it_is_open_fails_the_read_alone(core: Path) -> None:
    """As when a volume goes away or its disk does: a page of a map that is not there would end the process."""
    statements = {"first": "SELECT id FROM symbols LIMIT 1;", "all": "SELECT sum(length(name)) FROM symbols;"}
    with closing(Database(core, statements)) as database:
        assert database.rows("first")
        with core.open("r+b") as file:
            file.truncate(4096)

        with pytest.raises(sqlite3.DatabaseError):
            database.rows("all")
