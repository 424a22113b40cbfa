"""What a published core layer says of files, symbols and edges, with its ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.model import EdgeKind, Resolution, SymbolKind, Tier
    from indexer.domain.tree import KeptFile


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A row of `files`, its text left where it is."""

    id: int
    kept: KeptFile
    label: str
    module: str


@dataclass(frozen=True, slots=True)
class PublishedSymbol:
    """A row of `symbols`, as far as edges need it."""

    id: int
    parent_id: int | None
    kind: SymbolKind
    qualified_name: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class PublishedEdge:
    """A row of `edges` without its id."""

    source_id: int
    target_id: int | None
    target_name: str
    kind: EdgeKind
    line: int
    confidence: float
    tier: Tier
    resolution: Resolution
