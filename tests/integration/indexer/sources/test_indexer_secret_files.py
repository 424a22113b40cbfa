"""Files that are kept for their secrets stay out of an index, unless they are asked for."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from indexer.domain.tree import SkipReason
from tests.integration.indexer.indexing import Indexing, write_tree

KEY = "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n"
TREE = {".env": "DB_PASSWORD=x\n", ".env.example": "DB_PASSWORD=\n", "conf/tls.pem": KEY, "app.py": "x = 1\n"}


def _paths(data: Path) -> set[str]:
    [core] = sorted(data.rglob("code.db"), key=lambda each: each.stat().st_mtime)[-1:]
    with sqlite3.connect(core) as database:
        return {path for (path,) in database.execute("SELECT path FROM files")}


def test_they_are_counted_and_come_in_when_asked_for(tmp_path: Path) -> None:
    """Also where an earlier scan remembers that it left them out."""
    write_tree(tmp_path / "till", TREE)
    indexing = Indexing(tmp_path / "data")
    without = indexing.run(tmp_path / "till").snapshot
    left = _paths(tmp_path / "data")
    indexing.more["secret_files"] = True
    indexing.run(tmp_path / "till")

    assert left == {".env.example", "app.py"}
    assert dict(without.counts.skipped)[SkipReason.SECRET] == 2
    assert _paths(tmp_path / "data") == set(TREE)
