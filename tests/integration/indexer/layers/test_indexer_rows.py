"""A folder becomes rows of code.db."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

from indexer.domain.tree import SkipReason
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import Indexing, write_tree


def test_files_symbols_facts_and_pages_are_written(indexing: Indexing, shop: Path) -> None:
    """Every text file is there with its source; code has symbols and facts; prose has pages."""
    outcome = indexing.run(shop)

    assert not outcome.unchanged
    assert [path for (path,) in indexing.rows("SELECT path FROM files ORDER BY id")] == [
        "README.md",
        "config.toml",
        "shop/__init__.py",
        "shop/cart.py",
        "shop/till.py",
        "tests/test_cart.py",
    ]
    assert indexing.rows("SELECT path FROM files WHERE is_test") == [("tests/test_cart.py",)]
    assert indexing.rows("SELECT qualified_name, start_line, end_line FROM symbols WHERE name = 'add'") == [
        ("Cart.add", 10, 14)
    ]
    assert ("ValueError",) in indexing.rows("SELECT value FROM facts WHERE kind = 1")
    assert indexing.rows("SELECT title FROM docs WHERE path = 'README.md'") == [("Shop",), ("Shop > Money",)]


def test_source_is_kept_with_line_feeds_and_its_hash_is_of_the_bytes(indexing: Indexing, tmp_path: Path) -> None:
    """CRLF becomes LF in the stored text; sha256 and bytes are those of the tree."""
    data = "x = 1\r\ny = 'ü'\r\n".encode()
    indexing.run(write_tree(tmp_path / "src", {"a.py": data}))
    ((sha256, size, lines, source),) = indexing.rows("SELECT sha256, bytes, lines, source FROM files")

    assert (sha256, size, lines) == (hashlib.sha256(data).hexdigest(), len(data), 2)
    assert zlib.decompress(source).decode() == "x = 1\ny = 'ü'\n"


def test_every_parsed_file_starts_with_its_module(indexing: Indexing, shop: Path) -> None:
    """The first symbol of each parsed file is its module; text files have none."""
    indexing.run(shop)
    first = indexing.rows(
        "SELECT f.path, s.qualified_name, s.kind FROM files f JOIN symbols s ON s.id = "
        "(SELECT min(id) FROM symbols WHERE file_id = f.id) ORDER BY f.id"
    )

    assert [path for path, _, _ in first] == ["shop/__init__.py", "shop/cart.py", "shop/till.py", "tests/test_cart.py"]
    assert {(name, kind) for _, name, kind in first} == {("", 1)}


def test_full_text_finds_messages_and_pages(indexing: Indexing, shop: Path) -> None:
    """Error strings and pages are searchable, by row ids of their tables."""
    indexing.run(shop)
    messages = indexing.rows(
        "SELECT f.value FROM error_text t JOIN facts f ON f.id = t.rowid WHERE error_text MATCH 'needed'"
    )
    pages = indexing.rows(
        "SELECT d.title FROM doc_text t JOIN docs d ON d.id = t.rowid WHERE d.kind = 4 AND doc_text MATCH 'cash'"
    )

    assert messages == [("an item is needed",)]
    assert pages == [("Shop > Money",)]


def test_lexical_index_has_terms_and_lengths(indexing: Indexing, shop: Path) -> None:
    """Terms of names are there, with one row of lengths for each level."""
    indexing.run(shop)

    assert indexing.rows("SELECT level FROM lexical_levels ORDER BY level") == [("commit",), ("file",), ("symbol",)]
    assert indexing.rows("SELECT count(*) FROM lexical_terms WHERE term = 'cart'") == [(1,)]


def test_the_file_is_sound_sqlite(indexing: Indexing, shop: Path) -> None:
    """The database passes SQLite's own check, foreign keys too, and says what it is."""
    indexing.run(shop)
    meta = dict(indexing.rows("SELECT key, value FROM meta"))

    assert indexing.rows("PRAGMA integrity_check") == [("ok",)]
    assert indexing.rows("PRAGMA foreign_key_check") == []
    assert meta["schema_version"] == "2"
    assert meta["repository"] == "shop"
    assert meta["source_identity"] == indexing.current().source_identity


def test_broken_code_is_indexed_as_text(indexing: Indexing, tmp_path: Path) -> None:
    """A file with a syntax error is there as text, with why, and counted as unparsed."""
    outcome = indexing.run(write_tree(tmp_path / "src", {"bad.py": "def (:\n", "good.py": "def f(): pass\n"}))
    ((status, error),) = indexing.rows("SELECT status, error FROM files WHERE path = 'bad.py'")

    assert status == 2
    assert "syntax error" in error
    assert outcome.snapshot.counts.skipped == {SkipReason.UNPARSED: 1}
    assert indexing.rows("SELECT path, reason FROM skipped") == [("bad.py", SkipReason.UNPARSED)]


def test_an_empty_folder_is_a_snapshot_too(indexing: Indexing, tmp_path: Path) -> None:
    """Nothing to index gives a snapshot with nothing but the overview."""
    (tmp_path / "empty").mkdir()
    outcome = indexing.run(tmp_path / "empty")

    assert outcome.snapshot.counts.files == 0
    assert indexing.rows("SELECT kind, path FROM docs") == [(1, "")]


def test_history_counts_changes_and_common_changes(indexing: Indexing, shop: Path) -> None:
    """Files that changed together twice are co-changes, both ways; the commit is in the set."""
    commit_all(shop)
    for number in range(2):
        write_tree(shop, {"shop/cart.py": f"A = {number}\n", "shop/till.py": f"B = {number}\n"})
        head = commit_all(shop)
    indexing.run(shop)
    pairs = indexing.rows(
        "SELECT a.path, b.path, count FROM cochanges c JOIN files a ON a.id = c.file_id "
        "JOIN files b ON b.id = c.other_id WHERE a.path = 'shop/cart.py' AND b.path = 'shop/till.py'"
    )
    changes = indexing.rows(
        "SELECT changes, last_change FROM file_history h JOIN files f ON f.id = h.file_id WHERE path = 'shop/cart.py'"
    )

    assert pairs == [("shop/cart.py", "shop/till.py", 3)]
    assert changes[0][0] == 3
    assert changes[0][1].endswith("Z")
    assert (indexing.current().commit, indexing.current().dirty) == (head, False)


def test_switched_off_facts_are_left_out(indexing: Indexing, shop: Path) -> None:
    """With the extraction of mutations off there are none, and the source identity is another."""
    before = indexing.run(shop).snapshot.source_identity
    mutations = indexing.rows("SELECT count(*) FROM facts WHERE kind = 2")
    indexing.more["extract_mutates"] = False
    after = indexing.run(shop).snapshot.source_identity

    assert mutations[0][0] > 0
    assert indexing.rows("SELECT count(*) FROM facts WHERE kind = 2") == [(0,)]
    assert before != after
