"""What a code.db says, by names instead of ids, so that two of them can be compared whatever their history."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

_OTHER_FILES = ("Concepts: ", "Part of: ")
FIELDS = 6


class CoreContents:
    """The tables of one code.db with paths and names of symbols in place of ids."""

    def __init__(self, file: Path) -> None:
        with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as database:
            self._database = database
            self._paths = dict(self._rows("SELECT id, path FROM files"))
            self._symbols = self._named_symbols()
            self.sound = self._rows("PRAGMA integrity_check"), self._rows("PRAGMA foreign_key_check")
            self.files = self._rows(
                "SELECT path, language, module, sha256, bytes, lines, is_test, status, error, source FROM files "
                "ORDER BY path"
            )
            self.skipped = self._rows("SELECT path, reason FROM skipped ORDER BY path")
            self.symbols = self._symbol_rows()
            self.facts = self._fact_rows()
            self.messages = self._words("error_text", self._fact_names())
            self.history = self._history()
            self.levels = self._levels()
            self.terms = self._terms()
            self.docs, names = self._docs()
            self.doc_words = self._words("doc_text", names)
            self.edges = self._edges()

    def tables(self) -> dict[str, Any]:
        """Return everything that does not depend on edges and on what all files say together."""
        names = ("sound", "files", "skipped", "symbols", "facts", "messages", "history", "levels", "terms")
        return {name: getattr(self, name) for name in names}

    def pages(self, path: str) -> list[tuple[Any, ...]]:
        """Return the pages of one file without what is told from all files."""
        return [row for row in self.docs if row[1] == path]

    def edges_from(self, paths: set[str]) -> Counter[tuple[Any, ...]]:
        """Return the edges that start in some files."""
        return Counter({edge: count for edge, count in self.edges.items() if edge[0][0] in paths})

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._database.execute(query).fetchall()

    def _named_symbols(self) -> dict[int, tuple[str, str, int]]:
        seen: Counter[tuple[str, str]] = Counter()
        named = {}
        for symbol, file_id, name in self._rows("SELECT id, file_id, qualified_name FROM symbols ORDER BY id"):
            key = (self._paths[file_id], name)
            named[symbol] = (*key, seen[key])
            seen[key] += 1
        return named

    def _symbol_rows(self) -> list[tuple[Any, ...]]:
        rows = self._rows(
            "SELECT id, parent_id, kind, name, start_line, end_line, signature, docstring, decorators, is_public, "
            "complexity FROM symbols"
        )
        return sorted((self._symbols[at], self._symbols.get(parent, ()), *rest) for at, parent, *rest in rows)

    def _fact_rows(self) -> list[tuple[Any, ...]]:
        rows = self._rows(
            "SELECT symbol_id, file_id, kind, value, line, end_line, detail, origin, above, is_plain FROM facts"
        )
        places = (
            (self._symbols[symbol] if symbol else (self._paths[file_id],), rest) for symbol, file_id, *rest in rows
        )
        return sorted((*place, *rest) for place, rest in places)

    def _fact_names(self) -> dict[int, Any]:
        rows = self._rows("SELECT id, symbol_id, value, line FROM facts WHERE symbol_id IS NOT NULL")
        return {fact: (self._symbols[symbol], value, line) for fact, symbol, value, line in rows}

    def _words(self, table: str, names: dict[int, Any]) -> list[tuple[Any, ...]]:
        """Return (word, column, offset, row by name) of a full-text table."""
        self._database.execute(f"CREATE VIRTUAL TABLE temp.words_of_{table} USING fts5vocab(main, {table}, instance)")
        rows = self._rows(f"SELECT term, doc, col, offset FROM temp.words_of_{table}")
        return sorted((term, column, offset, names[doc]) for term, doc, column, offset in rows if doc in names)

    def _docs(self) -> tuple[list[tuple[Any, ...]], dict[int, Any]]:
        rows = self._rows("SELECT id, kind, path, title, symbol_id, start_line, end_line, body FROM docs")
        found, names = [], {}
        for number, kind, path, title, symbol, start, end, body in rows:
            kept = "\n".join(line for line in body.split("\n") if not line.startswith(_OTHER_FILES)).strip()
            found.append((kind, path, title, self._symbols.get(symbol, ()), start, end, kept))
            names[number] = (path, start)
        return sorted(found), names

    def _history(self) -> tuple[Any, ...]:
        changes = sorted((self._paths[at], *rest) for at, *rest in self._rows("SELECT * FROM file_history"))
        pairs = sorted((self._paths[one], self._paths[two], n) for one, two, n in self._rows("SELECT * FROM cochanges"))
        return changes, pairs

    def _levels(self) -> dict[str, Any]:
        levels = {name: rest for name, *rest in self._rows("SELECT level, ids, lengths FROM lexical_levels")}
        names: tuple[tuple[str, dict[int, Any]], ...] = (("symbol", self._symbols), ("file", self._paths))
        return {
            level: {
                named[at]: lengths.tolist()
                for at, lengths in zip(
                    _ascending(levels[level][0]),
                    np.frombuffer(levels[level][1], np.uint32).reshape(-1, FIELDS),
                    strict=True,
                )
            }
            for level, named in names
        }

    def _terms(self) -> dict[str, dict[Any, list[int]]]:
        found: defaultdict[str, dict[Any, list[int]]] = defaultdict(dict)
        for term, symbols, files in self._rows("SELECT term, symbols, files FROM lexical_terms"):
            for packed, named in ((symbols, self._symbols), (files, self._paths)):
                size = len(packed) // (4 + FIELDS)
                counts = np.frombuffer(packed, np.uint8, offset=4 * size).reshape(size, FIELDS)
                for at, row in zip(_ascending(packed[: 4 * size]), counts, strict=True):
                    found[term][named[at]] = row.tolist()
        return dict(found)

    def _edges(self) -> Counter[tuple[Any, ...]]:
        rows = self._rows("SELECT source_id, target_id, target_name, kind, line, tier, resolution FROM edges")
        return Counter(
            (self._symbols[source], None if target is None else self._symbols[target], *rest)
            for source, target, *rest in rows
        )


def _ascending(packed: bytes) -> list[int]:
    ids: list[int] = np.frombuffer(packed, np.uint32).tolist()
    assert ids == sorted(set(ids))
    return ids
