"""Makes a provisional core layer: a copy of the published one, patched with an edit in one transaction."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import closing
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.adapters.store.core import table_rows as rows
from indexer.adapters.store.core.core_file import CODE_DB, open_core
from indexer.adapters.store.core.patched_terms import TermsPatch
from indexer.adapters.store.disk import storage_errors, sync
from indexer.domain.errors import CoreDamaged
from indexer.domain.model import Resolution
from indexer.domain.provisional.postings import terms_within
from indexer.domain.snapshots.core import CoreSummary, PageKind
from indexer.domain.snapshots.snapshot import Layer
from indexer.domain.text.pages import (
    MAX_RELATIONS,
    Outline,
    PageSurroundings,
    list_members,
    package_folder,
    pages_of,
    title_of,
    with_cut,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indexer.domain.provisional.edit import CoreEdit, FileEdit
    from indexer.domain.snapshots.core import IndexedFile

_BLOCK = 1 << 20
_PRAGMAS = (
    "journal_mode=OFF",  # the copy is thrown away if it is not finished
    "synchronous=OFF",  # flushed once at the end
    "locking_mode=EXCLUSIVE",
    "cache_size=-65536",
    "mmap_size=4294967296",
)
_USES = """
SELECT f.path, f.module FROM symbols s JOIN edges e ON e.source_id = s.id JOIN symbols t ON t.id = e.target_id
JOIN files f ON f.id = t.file_id
WHERE s.file_id = ?1 AND f.id <> ?1 AND NOT f.is_test GROUP BY f.id ORDER BY count(*) DESC, f.path LIMIT ?2
"""
_USED_BY = """
SELECT f.path, f.module FROM symbols t JOIN edges e ON e.target_id = t.id JOIN symbols s ON s.id = e.source_id
JOIN files f ON f.id = s.file_id
WHERE t.file_id = ?1 AND f.id <> ?1 AND NOT f.is_test GROUP BY f.id ORDER BY count(*) DESC, f.path LIMIT ?2
"""
_OUTLINES = """
SELECT path, module, docstring FROM files f JOIN symbols s ON s.file_id = f.id AND s.parent_id IS NULL
WHERE status = 1 AND NOT is_test ORDER BY path
"""
_WORDS = """
SELECT name, qualified_name, signature, docstring, decorators FROM symbols
WHERE file_id IN (SELECT value FROM json_each(?))
"""


# A contentless full-text table needs the old values to delete a row.
_REMOVALS = """
CREATE TEMP TABLE edited (id INTEGER PRIMARY KEY);
INSERT INTO edited SELECT id FROM symbols WHERE file_id IN (SELECT value FROM json_each(:ids));
INSERT INTO error_text (error_text, rowid, value) SELECT 'delete', id, value FROM facts
  WHERE symbol_id IN (SELECT id FROM edited) AND kind IN (SELECT value FROM json_each(:kinds));
INSERT INTO doc_text (doc_text, rowid, title, body) SELECT 'delete', id, title, body FROM docs
  WHERE path IN (SELECT value FROM json_each(:paths));
DELETE FROM facts WHERE symbol_id IN (SELECT id FROM edited) OR file_id IN (SELECT value FROM json_each(:ids));
DELETE FROM docs WHERE path IN (SELECT value FROM json_each(:paths));
DELETE FROM edges WHERE source_id IN (SELECT id FROM edited);
UPDATE edges SET target_id = NULL, resolution = :unresolved, confidence = 0
  WHERE target_id IN (SELECT value FROM json_each(:gone));
DELETE FROM symbols WHERE id IN (SELECT id FROM edited);
DELETE FROM file_metadata WHERE file_id IN (SELECT value FROM json_each(:ids));
DELETE FROM files WHERE id IN (SELECT value FROM json_each(:ids))
"""


class CoreCopier:
    """Copies and patches code.db."""

    def copy(self, source: Path, folder: Path, files: Sequence[int]) -> frozenset[str]:
        """
        Copy a published core layer into an empty folder and flush it to disk. Raises StorageFull, CoreDamaged.

        Returns: A superset of the terms under which the files with these ids are found.
        """
        try:
            block = memoryview(bytearray(_BLOCK))
            with (source / CODE_DB).open("rb") as opened, (folder / CODE_DB).open("wb") as out, storage_errors():
                while size := opened.readinto(block):
                    out.write(block[:size])
                # Flushed now, while other work runs in parallel, so that little is left to flush after the patch.
                out.flush()
                os.fsync(out.fileno())
            with closing(open_core(source)) as database:
                return terms_within(_words(database, json.dumps(files)))
        except (FileNotFoundError, sqlite3.DatabaseError) as error:
            raise CoreDamaged(f"the core layer cannot be copied: {error}") from error

    def patch(self, folder: Path, edit: CoreEdit, terms: frozenset[str]) -> CoreSummary:
        """
        Patch and flush the copy in a folder. Raises StorageFull, and CoreDamaged if it cannot be patched.

        Args:
            terms: The terms that `copy` returned for the edited files.
        """
        file = folder / CODE_DB
        try:
            with storage_errors():
                with closing(sqlite3.connect(file, isolation_level=None)) as database:
                    symbols, edges, docs = _Patch(database, edit, terms).apply()
                sync(file)
        except sqlite3.DatabaseError as error:
            raise CoreDamaged(f"the core layer cannot be patched: {error}") from error
        return CoreSummary(Layer(LayerKind.CORE, edit.digest, file.stat().st_size), symbols, edges, docs)


def _words(database: sqlite3.Connection, files: str) -> Iterator[str]:
    """Yield texts that contain all terms under which files are found; `files` is a JSON list of ids."""
    query = "SELECT path, source FROM files WHERE id IN (SELECT value FROM json_each(?))"
    for path, source in database.execute(query, (files,)):
        yield from (path, zlib.decompress(source).decode())
    for row in database.execute(_WORDS, (files,)):
        yield from row


class _Patch:
    """Applies one edit to one database."""

    def __init__(self, database: sqlite3.Connection, edit: CoreEdit, terms: frozenset[str]) -> None:
        self._database = database
        self._edit = edit
        self._terms = terms
        self._ids = json.dumps([each.file_id for each in edit.files])

    def apply(self) -> tuple[int, int, int]:
        """Apply the edit, and return the new numbers of symbols, edges and pages."""
        for pragma in _PRAGMAS:
            self._database.execute(f"PRAGMA {pragma}")
        self._database.execute("BEGIN")
        terms = TermsPatch(self._database, self._terms, self._old_symbols(), self._old_files())
        self._remove_rows()
        self._write_meta()
        for edit in self._edit.files:
            if edit.after is None:
                self._forget_history(edit.file_id)
            else:
                self._write_file(edit, edit.after)
        self._write_edges()
        for edit in self._edit.files:
            if edit.after is not None:
                self._write_pages(edit, edit.after)
        self._write_overview()
        terms.apply(self._edit.files)
        self._database.execute("COMMIT")
        return self._count("symbols"), self._count("edges"), self._count("docs")

    def _old_symbols(self) -> list[int]:
        query = "SELECT id FROM symbols WHERE file_id IN (SELECT value FROM json_each(?))"
        return [symbol for (symbol,) in self._database.execute(query, (self._ids,))]

    def _old_files(self) -> list[int]:
        query = "SELECT id FROM files WHERE id IN (SELECT value FROM json_each(?))"
        return [file_id for (file_id,) in self._database.execute(query, (self._ids,))]

    def _remove_rows(self) -> None:
        """Remove the symbols of edited files and all rows that refer to them or to the paths of the files."""
        names = {
            "ids": self._ids,
            "paths": json.dumps([each.path for each in self._edit.files]),
            "kinds": json.dumps([int(kind) for kind in rows.SEARCHED_FACTS]),
            "gone": json.dumps([symbol for each in self._edit.files for symbol in each.gone]),
            "unresolved": int(Resolution.UNRESOLVED),
        }
        for statement in _REMOVALS.split(";"):
            self._database.execute(statement, names)

    def _write_meta(self) -> None:
        edit = self._edit
        meta = {
            "source_identity": edit.source_identity,
            "commit": edit.revision.commit,
            "dirty": str(int(edit.revision.dirty)),
            "digest": edit.digest,
            "edited": json.dumps(sorted(edit.edited)),
        }
        self._database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", sorted(meta.items()))
        self._database.execute("DELETE FROM skipped")
        rows.write_skipped(self._database, edit.skipped)

    def _forget_history(self, file_id: int) -> None:
        self._database.execute("DELETE FROM file_history WHERE file_id = ?", (file_id,))
        self._database.execute("DELETE FROM cochanges WHERE file_id = ?1 OR other_id = ?1", (file_id,))

    def _write_file(self, edit: FileEdit, file: IndexedFile) -> None:
        rows.write_file(self._database, edit.file_id, file, "")
        rows.write_metadata(self._database, [(edit.file_id, edit.metadata)])
        if file.parsed is not None:
            rows.write_symbols(self._database, edit.file_id, edit.symbol_ids, file.parsed.symbols)
        facts = rows.facts_of(edit.file_id, edit.symbol_ids, file)
        rows.write_facts(self._database, self._last("facts") + 1, facts)

    def _write_edges(self) -> None:
        edges = (
            (None, *rows.edge_row(edge.source_id, edge.target_id, edge))
            for edit in self._edit.files
            for edge in edit.edges
        )
        rows.insert(self._database, "edges", 9, edges)

    def _write_pages(self, edit: FileEdit, file: IndexedFile) -> None:
        module = edit.symbol_ids[0] if edit.symbol_ids else None
        pages = pages_of(file, self._surroundings(edit))
        documented = ((page, module if page.documents_module else None) for page in pages)
        rows.write_pages(self._database, self._last("docs") + 1, documented)

    def _write_overview(self) -> None:
        """Update the overview's note on languages with incomplete calls."""
        query = "SELECT id, title, body FROM docs WHERE kind = ?"
        for number, title, body in self._database.execute(query, (int(PageKind.OVERVIEW),)).fetchall():
            told = with_cut(body, self._edit.cut)
            if told == body:
                continue
            removal = "INSERT INTO doc_text (doc_text, rowid, title, body) VALUES ('delete', ?, ?, ?)"
            self._database.execute(removal, (number, title, body))
            self._database.execute("UPDATE docs SET body = ? WHERE id = ?", (told, number))
            rows.write_page_text(self._database, number, title, told)

    def _surroundings(self, edit: FileEdit) -> PageSurroundings:
        folder = package_folder(edit.path)
        members: Sequence[str] = ()
        if folder is not None:
            members = list_members(Outline(*row) for row in self._database.execute(_OUTLINES)).get(folder, ())
        uses, used_by = (
            [title_of(*row) for row in self._database.execute(query, (edit.file_id, MAX_RELATIONS))]
            for query in (_USES, _USED_BY)
        )
        return PageSurroundings(members, uses, used_by, edit.metadata)

    def _last(self, table: str) -> int:
        ((last,),) = self._database.execute(f"SELECT coalesce(max(id), 0) FROM {table}")  # noqa: S608 - name of ours
        return int(last)

    def _count(self, table: str) -> int:
        ((count,),) = self._database.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - name of ours
        return int(count)
