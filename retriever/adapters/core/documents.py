"""Documentation pages of a core layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retriever.adapters.core.database import as_list, match_any
from retriever.domain.values import Document, DocumentKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.core.database import Database


class SqliteDocuments:
    """Implements `Documents`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, ids: Sequence[int]) -> tuple[Document, ...]:
        """Return the pages of these ids in the order asked."""
        found = {row[0]: _document(row) for row in self._database.rows("documents_by_id", ids=as_list(ids))}
        return tuple(found[each] for each in ids if each in found)

    def at(self, paths: Sequence[str]) -> tuple[Document, ...]:
        """Return the pages that come from these files, in the order of the files."""
        position = {path: index for index, path in reversed(list(enumerate(paths)))}
        found = [_document(row) for row in self._database.rows("documents_by_path", paths=as_list(paths))]
        return tuple(sorted(found, key=lambda each: position[each.path]))

    def search(self, words: Sequence[str], limit: int, prefix: str = "") -> tuple[tuple[Document, float], ...]:
        """Return pages that hold some of the words, best first, only those whose path starts with the prefix."""
        expression = match_any(words)
        if not expression:
            return ()
        rows = self._database.rows("documents_by_text", expression=expression, limit=limit, prefix=prefix)
        return tuple((_document(row[:8]), float(row[8])) for row in rows)


def _document(row: tuple[Any, ...]) -> Document:
    key, kind, path, title, symbol_id, start, end, body = row
    return Document(key, DocumentKind(kind), path, title, symbol_id, start, end, body)
