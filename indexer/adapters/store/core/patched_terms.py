"""Patches the lexical tables of a core layer after an edit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from indexer.domain.provisional.postings import (
    Added,
    Gone,
    patch_level,
    patch_postings,
    place_terms,
    without_files,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from indexer.domain.provisional.edit import FileEdit

_TERMS = "SELECT term, symbols, files, commits FROM lexical_terms WHERE term IN (SELECT value FROM json_each(?))"


class TermsPatch:
    """
    One patch of the lexical index.

    Args:
        before: A superset of the terms of the edited files in the published layer.
        symbols: Ids of symbols of these files.
        files: Ids of these files.
    """

    def __init__(
        self, database: sqlite3.Connection, before: frozenset[str], symbols: Iterable[int], files: Iterable[int]
    ) -> None:
        self._database = database
        self._before = before
        self._gone_symbols = Gone(symbols)
        self._gone_files = Gone(files)

    def apply(self, edits: Sequence[FileEdit]) -> None:
        """Replace the postings of edited files."""
        symbols, files = Added(), Added()
        for edit in edits:
            if edit.after is not None:
                place_terms(edit.after.lexical, edit.file_id, edit.symbol_ids, symbols, files)
        self._patch_terms(symbols, files)
        for name, gone, added in (("symbol", self._gone_symbols, symbols), ("file", self._gone_files, files)):
            (packed,) = self._database.execute("SELECT ids, lengths FROM lexical_levels WHERE level = ?", (name,))
            row = (*patch_level(packed, gone, added), name)
            self._database.execute("UPDATE lexical_levels SET ids = ?, lengths = ? WHERE level = ?", row)
        removed = [edit.file_id for edit in edits if edit.after is None]
        if removed:
            self._forget_commits_of(Gone(removed))

    def _patch_terms(self, symbols: Added, files: Added) -> None:
        touched = sorted(self._before | symbols.postings.keys() | files.postings.keys())
        held = {row[0]: row[1:] for row in self._database.execute(_TERMS, (json.dumps(touched),))}
        changed: list[tuple[bytes, bytes, str]] = []
        new: list[tuple[str, bytes, bytes, bytes]] = []
        empty: list[tuple[str]] = []
        for term in touched:
            old = held.get(term, (b"", b"", b""))
            of_symbols = patch_postings(old[0], self._gone_symbols, symbols.postings.get(term, ()))
            of_files = patch_postings(old[1], self._gone_files, files.postings.get(term, ()))
            if term not in held:
                if of_symbols or of_files:
                    new.append((term, of_symbols, of_files, b""))
            elif not (of_symbols or of_files or old[2]):
                empty.append((term,))
            elif (of_symbols, of_files) != (old[0], old[1]):
                changed.append((of_symbols, of_files, term))
        self._database.executemany("UPDATE lexical_terms SET symbols = ?, files = ? WHERE term = ?", changed)
        self._database.executemany("INSERT INTO lexical_terms (term, symbols, files, commits) VALUES (?, ?, ?, ?)", new)
        self._database.executemany("DELETE FROM lexical_terms WHERE term = ?", empty)

    def _forget_commits_of(self, removed: Gone) -> None:
        rows = self._database.execute("SELECT id, files FROM lexical_commits").fetchall()
        left = [(without_files(files, removed), commit) for commit, files in rows]
        self._database.executemany("UPDATE lexical_commits SET files = ? WHERE id = ?", left)
