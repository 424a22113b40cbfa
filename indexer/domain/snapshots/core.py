"""The core layer in memory, before it is written: files with their facts, edges, pages, history."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from indexer.domain.failures import NO_UNIT
from indexer.domain.tree import Skipped, SkipReason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.model import Edge, Fact, ParsedFile, Tier
    from indexer.domain.snapshots.lexical import FileTerms
    from indexer.domain.snapshots.snapshot import Layer
    from indexer.domain.tree import Commit, Revision, SourceFile


class PageKind(IntEnum):
    """What a page is about; numbers are those of the snapshot format."""

    OVERVIEW = 1
    PACKAGE = 2
    MODULE = 3
    SECTION = 4


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """
    A file with its symbols, facts and term counts.

    Args:
        source: Path, hash, text.
        language: Name of the language as shown to people; "" for plain text.
        module: Importable name; the path where the language has none.
        is_test: It tests other code.
        parsed: None for plain text and where the parser failed.
        lexical: Term counts.
        error: Why `parsed` is missing for a file in a known language or, if it is present, why edges are missing.
        values: Facts of a file without symbols.
        role: What the file is for, regardless of `is_test`.
    """

    source: SourceFile
    language: str
    module: str
    is_test: bool
    parsed: ParsedFile | None
    lexical: FileTerms
    error: str = ""
    values: tuple[Fact, ...] = ()
    role: FileRole = FileRole.CODE

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts of the file."""
        return self.parsed.facts if self.parsed else self.values

    @property
    def failure(self) -> Skipped | None:
        """Return the file as unparsed or unlinked if symbols or edges are missing; None if none are."""
        reason = SkipReason.UNLINKED if self.parsed else SkipReason.UNPARSED
        return Skipped(self.source.path, reason) if self.error else None


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """
    Topic of a file.

    Args:
        domain: Name of the folder that stands for its part of the codebase; "" for files at the root.
        concepts: Words and phrases in lower case, most characteristic first; at most `concepts.MAX_CONCEPTS`.
    """

    domain: str
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkedEdges:
    """
    Edges of one language, or from one language to another.

    Args:
        files: `files[unit]` is the position of a unit's file among the files of the core; edges name files by unit.
        language: Language of all edges; "" for edges from one language to another.
        cut: Tiers of which edges may be missing.
        by_name: Calls were resolved by names, without analysing the flow of values.
        platform: Platform whose languages refer to each other's packages, such as the JVM; "" for other languages.
        failed: As in `Linked`.
    """

    files: tuple[int, ...]
    edges: Sequence[Edge]
    language: str = ""
    cut: tuple[Tier, ...] = ()
    by_name: bool = False
    platform: str = ""
    failed: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """
    A page or section of documentation.

    Args:
        path: The file that it documents; "" for the overview.
        symbol: (file, position in file) of the symbol that it documents, None if there is none.
        start_line: 1-based; 0 if the page is not made from one range of lines.
    """

    kind: PageKind
    path: str
    title: str
    body: str
    start_line: int = 0
    end_line: int = 0
    symbol: tuple[int, int] | None = None

    @property
    def documents_module(self) -> bool:
        """Return whether the page documents a module or package, and so has the symbol of its file's module."""
        return self.kind in (PageKind.PACKAGE, PageKind.MODULE)


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Number of inspected commits that changed a file, and time of the last one in seconds since 1970."""

    changes: int
    last_change: int


@dataclass(frozen=True, slots=True)
class History:
    """
    Git history of the files.

    Args:
        files: By path.
        cochanges: Number of common commits by pair of paths; the pair is sorted.
        commits: Newest first: commits with a message that changed few files, with those of their paths that are in the
            snapshot.
    """

    files: Mapping[str, FileHistory]
    cochanges: Mapping[tuple[str, str], int]
    commits: tuple[Commit, ...] = ()


@dataclass(frozen=True, slots=True)
class Core:
    """Everything that the core layer holds; files in order of path, metadata in order of the files."""

    repository: str
    source_identity: str
    revision: Revision
    files: Sequence[IndexedFile]
    edges: Sequence[LinkedEdges]
    skipped: Sequence[Skipped]
    pages: Sequence[Page]
    history: History
    metadata: Sequence[FileMetadata]

    @property
    def failures(self) -> Mapping[str, str]:
        """Return reasons of failures: by path, why symbols or edges are missing; by language, why any edge may be."""
        by_language = {each.language: each.failed[NO_UNIT] for each in self.edges if NO_UNIT in each.failed}
        return by_language | {file.source.path: file.error for file in self.files if file.error}


@dataclass(frozen=True, slots=True)
class CoreSummary:
    """A written core layer with the numbers of its symbols, edges and pages."""

    layer: Layer
    symbols: int
    edges: int
    docs: int
