"""The core layer as values, before it is written: files with their facts, edges, pages, history."""

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
    A file with what is known of it.

    Args:
        source: Path, hash, text.
        language: What people call it; "" for plain text.
        module: Importable name; the path where the language has none.
        is_test: It tests other code.
        parsed: None for plain text and where the parser failed.
        lexical: Term counts.
        error: Why `parsed`, or where that is there why edges, are missing for a file in a known language.
        values: Facts of a file without symbols.
        role: What it is for, tests aside.
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
        """Return the note on what is missing of the file."""
        reason = SkipReason.UNLINKED if self.parsed else SkipReason.UNPARSED
        return Skipped(self.source.path, reason) if self.error else None


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """
    What a file is about; its module is told by `IndexedFile.module`.

    Args:
        domain: Name of the folder that is its part of the codebase; "" for files at the root.
        concepts: Words and phrases in lower case, most telling first; at most `concepts.MAX_CONCEPTS`.
    """

    domain: str
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkedEdges:
    """
    Edges of one language.

    Args:
        files: `files[edge.source[0]]` is the position of a unit's file in the core's files.
        language: That they belong to; "" for those from one language to another.
        cut: Tiers of which edges may be missing.
        by_name: Calls were found by their names.
        platform: Of languages that name each other's packages; "" for others.
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
        path: The file it is about; "" for the overview.
        symbol: (file, position in file) of the symbol that it documents, None if there is none.
        start_line: 0 where the page is made from several places.
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
        """Return whether it is about the module that its file is, and has the symbol of that."""
        return self.kind in (PageKind.PACKAGE, PageKind.MODULE)


@dataclass(frozen=True, slots=True)
class FileHistory:
    """How often a file changed in the commits looked at, and when last, in seconds since 1970."""

    changes: int
    last_change: int


@dataclass(frozen=True, slots=True)
class History:
    """
    What git tells of files.

    Args:
        files: By path.
        cochanges: Common commits of pairs of paths, the first before the second.
        commits: Newest first, with the paths that are present; those that say what they did to a few files.
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
        """Return why a file is text only or has no edges, by path, and by language why any edge may be missing."""
        by_language = {each.language: each.failed[NO_UNIT] for each in self.edges if NO_UNIT in each.failed}
        return by_language | {file.source.path: file.error for file in self.files if file.error}


@dataclass(frozen=True, slots=True)
class CoreSummary:
    """A core layer that was written, and how much is in it."""

    layer: Layer
    symbols: int
    edges: int
    docs: int
