"""Reads texts and definitions from a core layer, with which a SCIP index is compared."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from indexer.adapters.store.core.core_file import open_core
from indexer.domain.model import SymbolKind
from indexer.domain.precise.document import CodeText, IndexedSymbol

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

_PATHS = "SELECT path FROM files"
_FILE = "SELECT path, language, module, sha256, source FROM files WHERE path = ?"
_SYMBOLS = """
SELECT symbols.kind, name, qualified_name, start_line, end_line, decorators
FROM symbols JOIN files ON files.id = symbols.file_id WHERE files.path = ? ORDER BY symbols.id
"""
_MODULES = """
SELECT module || '.' || qualified_name, path, symbols.kind, name, qualified_name, start_line, end_line, decorators
FROM symbols JOIN files ON files.id = symbols.file_id WHERE qualified_name <> '' ORDER BY symbols.id
"""


class SqliteCoreTexts:
    """
    Implements `IndexedTexts` over code.db.

    Args:
        core: Folder of the core layer.
    """

    def __init__(self, core: Path) -> None:
        self._database = open_core(core)

    def __enter__(self) -> SqliteCoreTexts:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._database.close()

    def paths(self) -> frozenset[str]:
        """Return the paths of all files."""
        return frozenset(path for (path,) in self._database.execute(_PATHS))

    def file(self, path: str) -> CodeText:
        """Return a file; its path must exist."""
        path, language, module, sha256, source = self._database.execute(_FILE, (path,)).fetchone()
        lines = tuple(zlib.decompress(source).decode().split("\n"))
        definitions = tuple(_definition(path, *row) for row in self._database.execute(_SYMBOLS, (path,)))
        return CodeText(path, language, module, sha256, lines, definitions)

    def by_module(self) -> dict[str, IndexedSymbol]:
        """Return definitions by module and qualified name; of several with the same key, the last."""
        return {dotted: _definition(*row) for dotted, *row in self._database.execute(_MODULES)}


def _definition(
    path: str, kind: int, name: str, qualified_name: str, start_line: int, end_line: int, decorators: str
) -> IndexedSymbol:
    return IndexedSymbol(
        path, SymbolKind(kind), name, qualified_name, start_line, end_line, tuple(filter(None, decorators.split("\n")))
    )
