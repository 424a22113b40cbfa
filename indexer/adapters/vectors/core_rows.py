"""Reads from a core layer the symbols and pages that may be embedded."""

from __future__ import annotations

import zlib
from contextlib import closing
from typing import TYPE_CHECKING

from indexer.adapters.store.core.core_file import open_core
from indexer.domain.model import SymbolKind
from indexer.domain.text.embedding import PageRow, SymbolRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPENING_LINES = 8

_SYMBOLS = """
SELECT symbols.id, symbols.kind, symbols.qualified_name, symbols.start_line, symbols.end_line, symbols.signature,
       symbols.docstring, symbols.is_public
FROM symbols WHERE symbols.file_id = ? ORDER BY symbols.id
"""
_FILES = "SELECT id, path, is_test, source FROM files WHERE status = 1 ORDER BY id"
_PAGES = "SELECT id, path, title, start_line, end_line, body FROM docs ORDER BY id"


def read_symbols(core: Path) -> Iterator[SymbolRow]:
    """Yield the symbols of code.db in the folder `core`, in order of file, then id; one file in memory at a time."""
    with closing(open_core(core)) as database:
        for file_id, path, is_test, source in database.execute(_FILES).fetchall():
            lines = zlib.decompress(source).decode("utf-8", "replace").split("\n")
            for number, kind, name, start, end, signature, docstring, is_public in database.execute(
                _SYMBOLS, (file_id,)
            ):
                opening = "" if docstring else "\n".join(lines[start : min(end, start + OPENING_LINES)])
                yield SymbolRow(
                    id=number,
                    kind=SymbolKind(kind),
                    path=path,
                    qualified_name=name,
                    start_line=start,
                    end_line=end,
                    signature=signature,
                    docstring=docstring,
                    opening=opening,
                    is_public=bool(is_public),
                    is_test=bool(is_test),
                )


def read_pages(core: Path) -> Iterator[PageRow]:
    """Yield the pages of code.db in the folder `core`, in order of id."""
    with closing(open_core(core)) as database:
        for row in database.execute(_PAGES):
            yield PageRow(*row)
