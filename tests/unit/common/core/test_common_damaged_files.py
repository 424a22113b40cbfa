"""Files of state that are no databases any more: set aside where that costs little, told in one line elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from common.core.errors import StartupError
from common.stores.sqlite import is_damage, open_database, opened_anew
from indexer.adapters.enrichment.archive import SqliteNoteArchive
from indexer.adapters.findings.archive import SqliteFindingsArchive
from indexer.adapters.jobs.queue import SqliteJobQueue
from indexer.adapters.precise.archive import SqlitePreciseArchive
from indexer.adapters.vectors.embedding_cache import EmbeddingCache

_TABLE = "CREATE TABLE IF NOT EXISTS t (x)"
JUNK = bytes(range(256)) * 80


@pytest.mark.parametrize("opening", [SqliteJobQueue, SqliteFindingsArchive, SqlitePreciseArchive])
def test_what_nobody_can_make_again_is_not_thrown_away(opening: Callable[[Path], object], tmp_path: Path) -> None:
    """The start ends with the file's name and what to do, and the file stays as it is."""
    file = tmp_path / "state.db"
    file.write_bytes(JUNK)

    with pytest.raises(StartupError, match=r"state\.db: damaged \(file is not a database\); bring back a copy"):
        opening(file)
    assert file.read_bytes() == JUNK


@pytest.mark.parametrize("opening", [SqliteNoteArchive, lambda file: EmbeddingCache(file, most_rows=9)])
def test_what_can_be_made_again_is_begun_anew(
    opening: Callable[[Path], SqliteNoteArchive | EmbeddingCache], tmp_path: Path
) -> None:
    """What was there is kept beside, in place of what was set aside before."""
    file = tmp_path / "kept.db"
    (tmp_path / "kept.db.damaged").write_bytes(b"before")
    file.write_bytes(JUNK)
    (tmp_path / "kept.db-wal").write_bytes(JUNK)

    opening(file).close()

    assert file.read_bytes().startswith(b"SQLite format 3")
    assert (tmp_path / "kept.db.damaged").read_bytes() == JUNK


def test_a_file_that_is_out_of_reach_is_no_damage(tmp_path: Path) -> None:
    """It may be there again in a moment: it is neither set aside nor begun anew."""
    folder = tmp_path / "state.db"
    folder.mkdir()

    with pytest.raises(sqlite3.OperationalError) as raised:
        opened_anew(folder, lambda: open_database(folder, _TABLE))
    assert not is_damage(raised.value)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_page_in_the_middle_counts(tmp_path: Path) -> None:
    """Not only the head of a file can be damaged."""
    file = tmp_path / "state.db"
    with closing(open_database(file, _TABLE)) as database:
        database.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 100)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(file.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    file.write_bytes(content)

    with closing(open_database(file, _TABLE)) as database, pytest.raises(sqlite3.DatabaseError) as raised:
        database.execute("SELECT count(*) FROM t").fetchall()
    assert is_damage(raised.value)
