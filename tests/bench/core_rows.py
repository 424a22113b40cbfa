"""
What a core layer says, as one hash for each file: equal for equal contents, whatever ids rows have.

Independent of the digests that the indexer writes: it reads all tables but the full text (contentless) and names rows
that ids point to by path, name and line.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SPACE = 1 << 128
_FIELDS = {"symbols": 6, "files": 6, "commits": 1}
_META = ("schema_version", "repository", "source_identity", "analyzer_version")
_HISTORY = frozenset(("cochanges", "file_history", "lexical_commits"))


def core_database(data: Path, repository: str) -> Path:
    """Return code.db of the snapshot that is served."""
    folder = data / "repositories" / repository
    snapshot = json.loads((folder / "sets" / f"{(folder / 'CURRENT').read_text().strip()}.json").read_text())
    layer = next(layer for layer in snapshot["layers"] if layer["kind"] == "core")
    return folder / "layers" / str(layer["folder"]) / "code.db"


def read_meta(core: Path) -> dict[str, str]:
    """Return what the layer says of itself, its digest and commit for example."""
    with _opened(core) as database:
        return dict(database.execute("SELECT key, value FROM meta"))


def read_rows(core: Path, *, with_history: bool) -> dict[str, int]:
    """Return the hash of all rows of each file by path; rows of no file go by `(table)`."""
    with _opened(core) as database:
        names = _Names(database)
        found: dict[str, int] = defaultdict(int)
        for place, row in _rows(database, names, with_history=with_history):
            digest = hashlib.blake2b(repr(row).encode(), digest_size=16).digest()
            found[place] = (found[place] + int.from_bytes(digest, "little")) % _SPACE  # any order gives the same sum
        return dict(found)


def _opened(core: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(f"file:{core}?mode=ro&immutable=1", uri=True))


class _Names:
    """Names of what ids stand for, and the rank of each id among the names."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.files: dict[int, str] = dict(database.execute("SELECT id, path FROM files"))
        places: dict[tuple[object, ...], int] = defaultdict(int)
        self.symbols: dict[int, tuple[object, ...]] = {}
        query = "SELECT id, file_id, qualified_name, start_line, end_line, kind FROM symbols ORDER BY file_id, id"
        for key, file, *rest in database.execute(query):
            name = (self.files[file], *rest)
            self.symbols[key] = (*name, places[name])
            places[name] += 1
        commits = dict(database.execute("SELECT id, time || hex(files) FROM lexical_commits"))
        self.ranks = {"symbols": _ranks(self.symbols), "files": _ranks(self.files), "commits": _ranks(commits)}


def _ranks(names: dict[int, Any]) -> NDArray[np.int64]:
    ranks = np.full(max(names, default=0) + 1, -1, dtype=np.int64)
    for rank, key in enumerate(sorted(names, key=lambda each: (names[each], each))):
        ranks[key] = rank
    return ranks


def _rows(database: sqlite3.Connection, names: _Names, *, with_history: bool) -> Iterator[tuple[str, object]]:
    tables = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_text*' AND name NOT GLOB 'sqlite_*'"
    )
    for (table,) in sorted(tables):
        if table in _HISTORY and not with_history:
            continue
        cursor = database.execute(f"SELECT * FROM {table}")
        columns = [column[0] for column in cursor.description]
        for values in cursor:
            row = dict(zip(columns, values, strict=True))
            if table == "meta":
                if row["key"] in _META:
                    yield "(meta)", row
            elif table == "lexical_levels":
                if with_history or row["level"] != "commit":
                    yield f"({table})", _lengths(row, names)
            elif table == "lexical_terms":
                if with_history or row["symbols"] or row["files"]:
                    yield f"({table})", _postings(row, names, with_history=with_history)
            else:
                yield _place(table, row, names), (table, _named(table, row, names))


def _place(table: str, row: dict[str, Any], names: _Names) -> str:
    if "path" in row:
        return str(row["path"]) or f"({table})"
    if row.get("file_id") is not None:
        return names.files[row["file_id"]]
    key = row.get("symbol_id", row.get("source_id"))
    return str(names.symbols[key][0]) if key is not None else f"({table})"


def _named(table: str, row: dict[str, Any], names: _Names) -> list[object]:
    values: list[object] = []
    for column, value in row.items():
        if column in ("file_id", "other_id"):
            values.append(None if value is None else names.files[value])
        elif column.endswith("_id"):
            values.append(None if value is None else names.symbols[value])
        elif table == "lexical_commits" and column == "files":
            values.append(np.sort(names.ranks["files"][np.frombuffer(value, dtype="<u4")]).tolist())
        elif column != "id":
            values.append(value)
    return values


def _lengths(row: dict[str, Any], names: _Names) -> list[object]:
    units = np.frombuffer(row["ids"], dtype="<u4")
    ranks = names.ranks[f"{row['level']}s"][units]
    lengths = np.frombuffer(row["lengths"], dtype="<u4").reshape(len(units), _FIELDS[f"{row['level']}s"])
    order = np.argsort(ranks)
    return [row["level"], ranks[order].tobytes(), lengths[order].tobytes()]


def _postings(row: dict[str, Any], names: _Names, *, with_history: bool) -> list[object]:
    values: list[object] = [row["term"]]
    for level, fields in _FIELDS.items():
        if level == "commits" and not with_history:
            continue
        count = len(row[level]) // (4 + fields)
        ranks = names.ranks[level][np.frombuffer(row[level], dtype="<u4", count=count)]
        counts = np.frombuffer(row[level], dtype=np.uint8, offset=4 * count).reshape(count, fields)
        order = np.argsort(ranks)
        values += [ranks[order].tobytes(), counts[order].tobytes()]
    return values
