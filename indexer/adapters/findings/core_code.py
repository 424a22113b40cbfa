"""Reads files, symbols and source texts from a core layer, for findings and analyzers."""

from __future__ import annotations

import errno
import zlib
from contextlib import closing
from typing import TYPE_CHECKING

from indexer.adapters.store.core.core_file import open_core
from indexer.domain.findings.finding import CodeFile, CodeSymbol
from indexer.domain.model import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_FILES = "SELECT path, sha256, lines, is_test, status = 1 FROM files ORDER BY id"
_SYMBOLS = """
SELECT symbols.kind, qualified_name, start_line, end_line, complexity
FROM symbols JOIN files ON files.id = symbols.file_id WHERE files.path = ? ORDER BY symbols.id
"""
_TEXTS = "SELECT path, source FROM files WHERE status = ? ORDER BY id"


class SqliteCoreCode:
    """Implements `CoreCode` over code.db."""

    def files(self, core: Path) -> dict[str, CodeFile]:
        """Return the files of code.db in the folder `core`, by path."""
        with closing(open_core(core)) as database:
            rows = database.execute(_FILES).fetchall()
        return {
            path: CodeFile(path, sha256, lines, bool(is_test), bool(parsed))
            for path, sha256, lines, is_test, parsed in rows
        }

    def symbols(self, core: Path, paths: Sequence[str]) -> dict[str, tuple[CodeSymbol, ...]]:
        """Return the symbols of these files, by path."""
        with closing(open_core(core)) as database:
            return {
                path: tuple(CodeSymbol(SymbolKind(kind), *rest) for kind, *rest in database.execute(_SYMBOLS, (path,)))
                for path in paths
            }


def write_texts(core: Path, folder: Path, suffixes: tuple[str, ...], *, parsed: bool) -> int:
    """
    Write the source of files with these endings below a folder and return how many there are.

    Args:
        parsed: Take files with symbols; False takes files that were indexed as text only.
    """
    written = 0
    for path, text in _texts(core, suffixes, 1 if parsed else 2):
        file = folder / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:  # git allows longer names than this file system
                raise
            continue
        written += 1
    return written


def _texts(core: Path, suffixes: tuple[str, ...], status: int) -> Iterator[tuple[str, bytes]]:
    with closing(open_core(core)) as database:
        for path, source in database.execute(_TEXTS, (status,)):
            if path.endswith(suffixes):
                yield path, zlib.decompress(source)
