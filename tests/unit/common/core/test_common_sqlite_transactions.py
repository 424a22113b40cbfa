"""Transactions of files that are kept and changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from common.stores.sqlite import open_database, transaction

_SCHEMA = """
CREATE TABLE IF NOT EXISTS owners (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS things (owner TEXT REFERENCES owners DEFERRABLE INITIALLY DEFERRED);
"""


@pytest.mark.parametrize("wrong", ["INSERT INTO things VALUES ('nobody')", "no statement"])
def test_what_fails_leaves_nothing_and_holds_up_nothing(tmp_path: Path, wrong: str) -> None:
    """Also where only the end of it shows that it fails: the next one begins as if it had not been."""
    with closing(open_database(tmp_path / "kept.db", _SCHEMA, "foreign_keys = ON")) as database:
        with pytest.raises(sqlite3.DatabaseError):
            _write(database, "INSERT INTO owners VALUES ('left')", wrong)
        _write(database, "INSERT INTO owners VALUES ('kept')")
        names = database.execute("SELECT name FROM owners").fetchall()

    assert names == [("kept",)]


def _write(database: sqlite3.Connection, *statements: str) -> None:
    with transaction(database):
        for statement in statements:
            database.execute(statement)
