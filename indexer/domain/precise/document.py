"""One file as an imported SCIP index describes it, and the same file as the snapshot holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.domain.model import SymbolKind
    from indexer.domain.precise.columns import Encoding


@dataclass(frozen=True, slots=True)
class Occurrence:
    """
    A place where a symbol is defined or used.

    Args:
        line: 1-based.
        start: Column in the document's units, 0-based.
        end: Column behind the name, in the same line.
        symbol: In the grammar of SCIP.
        is_definition: The symbol is defined here; else it is used.
        is_import: The symbol is imported here.
        body: First line of the whole definition, without decorators, 1-based; 0 if the index does not give it.
    """

    line: int
    start: int
    end: int
    symbol: str
    is_definition: bool = False
    is_import: bool = False
    body: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """
    One file of an index.

    Args:
        path: As in the index: relative to the root folder of the index.
        occurrences: Names within one line.
        implemented: For each symbol of the file, the symbols that it extends, implements or overrides.
        encoding: Encoding in which columns are counted; None if the index does not give it.
    """

    path: str
    occurrences: tuple[Occurrence, ...]
    implemented: Mapping[str, tuple[str, ...]]
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class IndexedSymbol:
    """A symbol of the snapshot: where it is, and what it is."""

    path: str
    kind: SymbolKind
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    decorators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeText:
    """A file of the snapshot with its text in lines; `definitions` is empty if it is indexed as text."""

    path: str
    language: str
    module: str
    sha256: str
    lines: tuple[str, ...]
    definitions: tuple[IndexedSymbol, ...]
