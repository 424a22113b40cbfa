"""Files and symbols of a published core layer, with their ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.model import SymbolKind
    from indexer.domain.tree import KeptFile


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A row of `files`; its text is fetched only when needed."""

    id: int
    kept: KeptFile
    label: str
    module: str


@dataclass(frozen=True, slots=True)
class PublishedSymbol:
    """The columns of a row of `symbols` that are needed to patch edges."""

    id: int
    parent_id: int | None
    kind: SymbolKind
    qualified_name: str
    start_line: int
    end_line: int
