"""What a snapshot holds, as values. Numbers of enumerations are those of docs/snapshot-format.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.snapshot import EdgeKind as EdgeKind
from common.core.contract.snapshot import FactKind as FactKind
from common.core.contract.snapshot import FileRole, Severity
from common.core.contract.snapshot import Origin as Origin
from common.core.contract.snapshot import Resolution as Resolution
from common.core.contract.snapshot import SymbolKind as SymbolKind
from common.core.contract.snapshot import SymbolMark as SymbolMark
from common.core.contract.snapshot import Tier as Tier

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class DocumentKind(IntEnum):
    """What a documentation page is about."""

    OVERVIEW = 1
    PACKAGE = 2
    MODULE = 3
    SECTION = 4


@dataclass(frozen=True, slots=True)
class LayerProblem:
    """A published layer that cannot be used, and why; `problem` says what to do."""

    repository: str
    layer: str
    problem: str
    since: datetime


DEFAULT_TIERS: tuple[Tier, ...] = (
    Tier.STATIC,
    Tier.PROTOCOL,
    Tier.CONTAINER,
    Tier.ARGUMENT,
    Tier.UNIQUE_NAME,
    Tier.PRECISE,
)
"""Tiers whose edges a walk follows by default; without overrides, which are wrong more often than right."""


EVERYTHING = "*"
"""Value of a CATCHES fact for a clause that catches any exception."""


@dataclass(frozen=True, slots=True)
class Fact:
    """
    A fact about the behaviour of one symbol.

    Args:
        value: As written.
        line: From 1.
        origin: For the message of an error, where the core has it: RAISED, RETURNED or ASSERTED.
        detail: Condition of the branch around a message or a raise; for ASSERTED, the type of the error.
    """

    symbol_id: int
    kind: FactKind
    value: str
    line: int
    origin: Origin = Origin.NONE
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """
    A file of the tree whose text is not in the snapshot.

    Args:
        reason: Number of cgrag.indexer.v1.SkipReason.
        is_read: The words in it are known, though not its text.
    """

    path: str
    reason: int
    is_read: bool

    @property
    def why(self) -> str:
        """Return the reason as the end of a sentence that begins with the path."""
        return _WHY.get(self.reason, "is left out")


_WHY = {
    1: "is ignored",
    2: "is binary",
    3: "is in no known encoding",
    4: "is larger than the limit",
    5: "is minified",
    6: "is generated",
    7: "is a copy of another project's code",
    8: "is a link that leaves the tree",
    9: "is no regular file",
    10: "cannot be read",
    11: "cannot be parsed",
    12: "has a name that no snapshot may hold",
    13: "is left out of the working tree by a sparse checkout",
    14: "is a repository of its own",
    15: "may hold secrets",
}


@dataclass(frozen=True, slots=True)
class TextHit:
    """A line, from 1, on which a text begins."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class File:
    """
    A file of the snapshot, without its text.

    Args:
        id: Local to the snapshot.
        language: Lower case; "" for text that is no code.
        module: Importable name; the path where the language has none.
        parsed: Its symbols are in the snapshot; otherwise it is text only.
        error: Why a file of code is text only, or why the edges of a parsed one are missing; "" without either.
        role: Its purpose; `is_test` marks tests.
    """

    id: int
    path: str
    language: str
    module: str
    lines: int
    is_test: bool
    parsed: bool = True
    error: str = ""
    role: FileRole = FileRole.CODE


@dataclass(frozen=True, slots=True)
class Symbol:
    """
    A definition, or a module (kind MODULE, qualified name "").

    Args:
        id: Local to the snapshot.
        file_id: Unused; it must stay because stored tasks contain a symbol as the list of its fields.
        parent_id: The enclosing symbol; None for a module.
        path: Of the file that holds it.
        module: Importable name of that file; the path where the language has none.
        name: Last part of the qualified name; of a module, its importable name.
        qualified_name: Dotted from the outermost scope of the file; "" for a module.
        start_line: 1-based, decorators included.
        end_line: Inclusive.
        decorators: As written, without "@".
        marks: Bits of SymbolMark.
        role: Of its file.
    """

    id: int
    file_id: int
    parent_id: int | None
    kind: SymbolKind
    path: str
    module: str
    language: str
    is_test: bool
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    signature: str
    docstring: str
    decorators: tuple[str, ...] = ()
    is_public: bool = True
    marks: int = 0
    role: FileRole = FileRole.CODE

    @property
    def is_aside(self) -> bool:
        """Whether its file is not the repository's main code but an example, a tool or the like."""
        return self.role.is_aside

    @property
    def span(self) -> Span:
        """The lines of the definition."""
        return Span(self.path, self.start_line, self.end_line)

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.end_line - self.start_line + 1

    @property
    def definition(self) -> tuple[str, str]:
        """Key that all symbols of one definition share; a definition with overloads has several symbols."""
        return self.path, self.qualified_name

    @property
    def dotted(self) -> str:
        """The module's importable name and the qualified name, joined, for people."""
        return f"{self.module}.{self.qualified_name}" if self.qualified_name else self.module


@dataclass(frozen=True, slots=True)
class Edge:
    """
    One relation of the graph.

    Args:
        target_id: None unless resolved.
        target_name: As the source writes it; for external ones the dotted name behind the import.
        line: First line of the occurrence in the source's file, 1-based.
        confidence: Share of edges of this tier that are right, 0 to 1.
    """

    source_id: int
    target_id: int | None
    target_name: str
    kind: EdgeKind
    line: int
    confidence: float
    tier: Tier
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class Document:
    """
    A page of documentation.

    Args:
        id: Local to the snapshot.
        path: File that it comes from; "" for the overview.
        symbol_id: Symbol that it documents; None if it is about none.
        start_line: 1-based; 0 when the page is made from several places.
        end_line: Inclusive; 0 when the page is made from several places.
    """

    id: int
    kind: DocumentKind
    path: str
    title: str
    symbol_id: int | None
    start_line: int
    end_line: int
    body: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What an analyzer or scanner says about a place, with name and first line of the symbol that holds it, if any."""

    span: Span
    severity: Severity
    category: str
    rule: str
    message: str
    tool: str
    symbol: str = ""
    symbol_line: int = 0


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """
    What a citation needs to know of a snapshot.

    Args:
        layers: Kinds that are ready.
        precise_digest: Digest of the layer whose edges replace the core's; "" without one.
        coverage: Share of the code files that have symbols and edges, 0 to 1; 0 if there is no code.
    """

    snapshot_id: str
    repository: str
    source_identity: str
    commit: str
    dirty: bool
    core_digest: str
    layers: tuple[str, ...]
    precise_digest: str = ""
    coverage: float = 0.0


def coverage_of(files: Sequence[File], left_out: Sequence[LeftOut]) -> float:
    """
    Return the share of the code files that have symbols and edges; 0 if there is no code.

    Files left out count if they have an extension of code, unless the reason is one of `_NOT_OWN`.
    """
    code = [file for file in files if file.parsed or file.error or file.language]
    endings = {_ending(file.path) for file in code} - {""}
    missing = sum(each.reason not in _NOT_OWN and _ending(each.path) in endings for each in left_out)
    covered = sum(file.parsed and not file.error for file in files)
    return covered / (len(code) + missing) if code else 0.0


_NOT_OWN = frozenset({1, 2, 5, 6, 7, 9})
"""Reasons for leaving out a file that is not the project's own code: ignored, binary, minified, generated and so on."""


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2] if "." in name[1:] else ""
