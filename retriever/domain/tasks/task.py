"""A task, the context that is gathered for it stage by stage, and the resulting package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span  # noqa: TC001 (read at run time)
from common.core.contract.question import NO_ANCHORS, Anchors
from retriever.domain.values import Symbol, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from retriever.domain.evidence.piece import ContextSource, Decision, EvidenceKind
    from retriever.domain.tasks.context import StageTime


class ContextRole(IntEnum):
    """Class of a symbol in a package; numbers are those of the contract."""

    PRIMARY = 1
    SUPPORTING = 2
    TYPE = 3


class ContextTier(StrEnum):
    """How something came into a package, the nearest first."""

    SEED = "seed"
    DEPENDENCY = "dependency"
    CO_CHANGE = "co-change"
    METADATA = "metadata"
    TEST = "test"
    RATIONALE = "rationale"


class ContextFormat(IntEnum):
    """Form of a rendered package; numbers are those of the contract."""

    NONE = 0
    MARKDOWN = 1
    PROMPT = 2
    JSON = 3


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """
    The request for a package.

    Args:
        stages: Names in order; each once.
        window_tokens: Size of the reader's context window.
        reserved_tokens: Tokens of the window that the package must leave free; less than the window.
        min_co_changes: Co-changes from which a file counts as a neighbour.
        anchors: What the task mentions; None lets the stages find it.
    """

    repository: str
    task_id: str
    task: str
    stages: tuple[str, ...]
    window_tokens: int
    reserved_tokens: int
    min_co_changes: int = 3
    format: ContextFormat = ContextFormat.NONE
    anchors: Anchors | None = None
    snapshot_id: str = ""

    @property
    def limit_tokens(self) -> int:
        """Tokens that the package may take."""
        return self.window_tokens - self.reserved_tokens

    @property
    def fingerprint(self) -> str:
        """A hash that is the same for equal requests in every process."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a package lacked, as its reader wrote it."""

    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ScopedFile:
    """A file in scope; `relation` says what brought it in, for example "imported by src/app.py"."""

    path: str
    tier: ContextTier
    relation: str


@dataclass(frozen=True, slots=True)
class Note:
    """A line of a symbol that is worth its own mention: an assertion, or a comment that gives a reason."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Pick:
    """
    A symbol that belongs into the package.

    Args:
        symbol_id: Local to the snapshot of the task.
        notes: Of a test its assertions, of a rationale the one comment; then they are shown, not the body.
        requested: A refinement asked for it; such picks go before all others.
    """

    symbol_id: int
    role: ContextRole
    tier: ContextTier
    relation: str
    score: float = 0.0
    notes: tuple[Note, ...] = ()
    requested: bool = False

    @property
    def key(self) -> tuple[int, bool, int]:
        """Key that is equal for two picks of the same thing: the symbol, or one comment of a rationale."""
        is_rationale = self.tier == ContextTier.RATIONALE
        return self.symbol_id, is_rationale, self.notes[0].line if is_rationale else 0


@dataclass(frozen=True, slots=True)
class Gathered:
    """
    What the stages have gathered; each returns a new one.

    Args:
        files: In order of tier; each once, by its first tier.
        mentioned: Symbols that the task names or that its errors point to, by id.
        ranked: Symbols that match the words of the task, best first, by id.
        picks: What goes into the package, in the order found; None until a stage has sorted symbols.
        decisions: Those that are not in the decision log yet.
        not_found: Names in the last refinement that match nothing, or too much.
    """

    files: tuple[ScopedFile, ...] = ()
    mentioned: tuple[int, ...] = ()
    ranked: tuple[int, ...] = ()
    picks: tuple[Pick, ...] | None = None
    decisions: tuple[Decision, ...] = ()
    not_found: tuple[str, ...] = ()

    def with_files(self, found: Iterable[ScopedFile]) -> Gathered:
        """Add files that are not there yet."""
        files = {each.path: each for each in self.files}
        for each in found:
            files.setdefault(each.path, each)
        return replace(self, files=tuple(files.values()))

    def with_decisions(self, decisions: Iterable[Decision]) -> Gathered:
        """Add decisions after those that are there."""
        return replace(self, decisions=(*self.decisions, *decisions))


@dataclass(frozen=True, slots=True)
class TaskContext:
    """The part of a task that a stage sees."""

    text: str
    anchors: Anchors = NO_ANCHORS
    min_co_changes: int = 3


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """
    One entry of a package.

    Args:
        tokens: Of the text; what a rendering puts around it is not counted here.
        demoted: Only the signature is shown although the body was wanted.
    """

    evidence_id: str
    kind: EvidenceKind
    source: ContextSource
    title: str
    span: Span
    symbol: Symbol
    text: str
    tokens: int
    content_hash: str
    role: ContextRole
    tier: ContextTier
    relation: str
    score: float = 0.0
    demoted: bool = False


@dataclass(frozen=True, slots=True)
class FileDependency:
    """One file of a package depends on another."""

    path: str
    depends_on: str


@dataclass(frozen=True, slots=True)
class ContextPackage:
    """
    Everything that a task needs, most important first, without duplicates.

    Args:
        revision: From 1, one more with each refinement.
        used_tokens: Of the rendering, or of all texts if there is none; never over the limit.
        not_found: Names in the last refinement that match nothing, or too much.
    """

    task_id: str
    snapshot_id: str
    revision: int
    entries: tuple[ContextEntry, ...]
    dependencies: tuple[FileDependency, ...]
    limit_tokens: int
    used_tokens: int
    rendered: str
    timings: tuple[StageTime, ...]
    create_time: datetime
    not_found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskState:
    """
    Where a task stands; kept after each stage, so that any replica can go on.

    Args:
        version: Counts the times that it was kept; 0 if it never was.
        snapshot_id: Snapshot that all stages read.
        done: Stages that have run, in order.
        package: The last package; None while the first is not made.
    """

    request: ContextRequest
    snapshot_id: str
    version: int = 0
    done: tuple[StageTime, ...] = ()
    gathered: Gathered = Gathered()
    refinements: tuple[Refinement, ...] = ()
    package: ContextPackage | None = None


def is_definition(symbol: Symbol) -> bool:
    """Return whether a symbol is more than its file or a variable."""
    return symbol.kind not in (SymbolKind.MODULE, SymbolKind.VARIABLE)
