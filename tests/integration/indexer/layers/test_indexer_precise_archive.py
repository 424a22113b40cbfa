"""What is kept of imported indexes, import by import."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from indexer.adapters.precise.archive import SqlitePreciseArchive
from indexer.domain.errors import StorageFull
from indexer.domain.precise.sites import PreciseFile

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
_BEFORE_IMPORTS = """
CREATE TABLE files (repository TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, digest TEXT NOT NULL,
content BLOB NOT NULL, PRIMARY KEY (repository, path))
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[SqlitePreciseArchive]:
    """Return an empty archive."""
    with closing(SqlitePreciseArchive(tmp_path / "precise.db")) as made:
        yield made


def known(path: str, sha256: str = "1") -> PreciseFile:
    return PreciseFile(path, sha256, (), frozenset(), ())


def test_a_later_import_takes_files_over(archive: SqlitePreciseArchive) -> None:
    """Newest first; an import that is replaced in all of its files is gone; other repositories are left alone."""
    archive.put("shop", [known("a.py"), known("b.py")], tool="one", time=NOON)
    archive.put("shop", [known("b.py", "2")], tool="two", time=NOON + timedelta(hours=1))
    archive.put("other", [known("a.py")], tool="three", time=NOON)
    both = [(each.tool, dict(each.texts)) for each in archive.imports("shop")]
    archive.put("shop", [known("a.py", "3"), known("b.py", "3")], tool="four", time=NOON + timedelta(hours=2))
    (left,) = archive.imports("shop")

    assert both == [("two", {"b.py": "2"}), ("one", {"a.py": "1"})]
    assert (left.tool, left.time) == ("four", NOON + timedelta(hours=2))
    assert [each.tool for each in archive.imports("other")] == ["three"]


def test_the_same_import_keeps_its_name(archive: SqlitePreciseArchive) -> None:
    """What an index says names it, so importing it again is one import, and one without it does not bring it back."""
    archive.put("shop", [known("a.py")], tool="one", time=NOON)
    (first,) = archive.imports("shop")
    archive.put("shop", [known("a.py")], tool="one", time=NOON + timedelta(days=1))
    (again,) = archive.imports("shop")
    archive.withdraw("shop", [again.import_id])

    assert again.import_id == first.import_id
    assert archive.imports("shop") == []
    assert archive.texts("shop") == {}


def test_an_archive_that_did_not_tell_imports_apart_is_read(tmp_path: Path) -> None:
    """What an earlier version kept is one import without time and tool, which can be withdrawn."""
    with closing(sqlite3.connect(tmp_path / "precise.db")) as database, database:
        database.execute(_BEFORE_IMPORTS)
        database.execute("INSERT INTO files VALUES ('shop', 'a.py', '1', 'd', x'00')")
    with closing(SqlitePreciseArchive(tmp_path / "precise.db")) as archive:
        (kept,) = archive.imports("shop")
        archive.withdraw("shop", ["earlier"])
        left = archive.imports("shop")

    assert (kept.import_id, kept.time, kept.tool, dict(kept.texts)) == ("earlier", None, "", {"a.py": "1"})
    assert left == []


def test_a_full_disk_is_told_and_changes_nothing(archive: SqlitePreciseArchive, tmp_path: Path) -> None:
    """The reason is the disk's though SQLite has ended the transaction by itself, and the archive goes on."""
    archive.put("shop", [known("a.py")], tool="one", time=NOON)
    with closing(sqlite3.connect(tmp_path / "precise.db", isolation_level=None)) as other:
        (pages,) = other.execute("PRAGMA page_count").fetchone()
    archive._connection.execute(f"PRAGMA max_page_count={pages}")
    many = [known(f"{'long' * 20}{number}.py") for number in range(1000)]
    with pytest.raises(StorageFull):
        archive.put("shop", many, tool="two", time=NOON)
    kept = [each.tool for each in archive.imports("shop")]
    archive.withdraw("shop", [archive.imports("shop")[0].import_id])

    assert kept == ["one"]
    assert archive.imports("shop") == []
