"""Finds exact text in the files of a core layer: the lexical index selects candidates, which are read."""

from __future__ import annotations

import zlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retriever.domain.values import DocumentKind, TextHit
from retriever.domain.views.text_places import lines_containing, lines_with, rank_of, required_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.adapters.core.database import Database
    from retriever.adapters.core.files import SqliteFiles
    from retriever.domain.values import File
    from retriever.ports import Lexical


class SqliteTexts:
    """Implements `Texts`."""

    def __init__(self, database: Database, files: SqliteFiles, lexical: Lexical) -> None:
        self._database = database
        self._files = files
        self._lexical = lexical

    def find(self, text: str, *, limit: int) -> tuple[TextHit, ...]:
        """Return the first lines on which a text begins as whole words."""
        pieces = [piece.encode("utf-8", "surrogatepass") for piece in text.split()]
        found: list[TextHit] = []
        for file in self._candidates(required_terms(text)) if pieces and limit > 0 else ():
            content = self._content(file)
            if all(piece in content for piece in pieces):
                found += (TextHit(file.path, line) for line in lines_with(content.decode("utf-8"), text))
            if len(found) >= limit:
                break
        return tuple(found[:limit])

    def containing(self, text: str, *, limit: int) -> tuple[TextHit, ...]:
        """Return the first lines on which a text begins, within longer words too; if there is none, in any case."""
        exact: list[TextHit] = []
        folded: list[TextHit] = []
        for file in self._in_order if text.strip() else ():
            content = self._content(file).decode("utf-8")
            exact += (TextHit(file.path, line) for line in lines_containing(content, text))
            if len(exact) >= limit:
                break
            if not exact and len(folded) < limit:
                folded += (TextHit(file.path, line) for line in lines_containing(content.lower(), text.lower()))
        return tuple((exact or folded)[:limit])

    def _candidates(self, terms: Sequence[str]) -> Iterable[File]:
        if not terms or self._lexical.problem:
            return self._in_order
        columns = self._lexical.corpus().files
        held = np.bincount(self._lexical.postings(terms).files.units, minlength=len(columns)) == len(terms)
        # A file without counted terms is not indexed and may contain the text.
        held |= ~columns.lengths.any(axis=1)
        paths = {columns.rows[place].path for place in np.flatnonzero(held).tolist()}
        return [file for file in self._in_order if file.path in paths] if paths else ()

    def _content(self, file: File) -> bytes:
        """Read a file without caching it, since a search reads many files only once."""
        rows = self._database.rows("source", path=file.path)
        return zlib.decompress(rows[0][0]) if rows else b""

    @cached_property
    def _in_order(self) -> tuple[File, ...]:
        """All files in the order in which matches are reported."""
        prose = {path for (path,) in self._database.rows("paths_of_documents", kind=int(DocumentKind.SECTION))}
        return tuple(sorted(self._files.all(), key=lambda file: rank_of(file, is_prose=file.path in prose)))
