"""
What the retriever needs from outside.

The readers of a snapshot are synchronous: each call is a few indexed queries. Use cases call them in a thread
(`asyncio.to_thread`), never on the event loop; they may be called from any number of threads at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from common.core.removals import Removal
    from retriever.domain.context import Candidate
    from retriever.domain.evidence import Decision
    from retriever.domain.metadata import FileMetadata
    from retriever.domain.ranking.corpus import Corpus, Floats, TermPostings
    from retriever.domain.structure import Dependency
    from retriever.domain.tasks import ContextRequest, TaskState
    from retriever.domain.values import (
        Document,
        Edge,
        EdgeKind,
        Fact,
        FactKind,
        File,
        Finding,
        Severity,
        SnapshotInfo,
        Symbol,
        Tier,
    )


class Files(Protocol):
    """Files of one snapshot."""

    def all(self) -> tuple[File, ...]:
        """Return every file in order of path; kept in memory after the first call."""
        ...

    def at(self, path: str) -> File | None:
        """Return the file of exactly this path."""
        ...

    def with_stem(self, stem: str) -> tuple[File, ...]:
        """Return files whose name (with or without extension) or whose module's last part is this, by path."""
        ...

    def folders(self) -> Mapping[str, bool]:
        """Return every folder, without a slash at its end, and whether anything in or below it is no test."""
        ...

    def text(self, path: str) -> str:
        """Return the whole text of a file, "" if there is none; recently read files are kept."""
        ...

    def lines(self, path: str, start: int, end: int) -> str:
        """Return lines of a file, 1-based and inclusive, each with its line feed; "" if there are none."""
        ...


class Symbols(Protocol):
    """Symbols of one snapshot."""

    def get(self, ids: Sequence[int]) -> tuple[Symbol, ...]:
        """Return the symbols of these ids in the order asked; unknown ids are left out."""
        ...

    def named(self, name: str) -> tuple[Symbol, ...]:
        """Return symbols with this simple name (case is ignored; exact case first), then by path and line."""
        ...

    def in_file(self, path: str) -> tuple[Symbol, ...]:
        """Return the symbols of a file in order of start line, its module first."""
        ...


class Graph(Protocol):
    """Edges of one snapshot, in the order in which the symbols were asked for, then by line, then by edge id."""

    def outgoing(
        self, ids: Sequence[int], kinds: Sequence[EdgeKind], tiers: Sequence[Tier] = (), *, min_confidence: float = 0.0
    ) -> tuple[Edge, ...]:
        """Return edges that start at these symbols, external and unresolved ones too; no tiers means the default."""
        ...

    def incoming(
        self, ids: Sequence[int], kinds: Sequence[EdgeKind], *, min_confidence: float = 0.0
    ) -> tuple[Edge, ...]:
        """Return resolved edges that end at these symbols, by the default tiers."""
        ...

    def pairs(self, ids: Sequence[int], kinds: Sequence[EdgeKind]) -> Floats:
        """
        Return rows of (source, target, highest confidence) of resolved edges from or to these, by the default tiers.

        Each pair comes once, in order of source, then target: for looking around many symbols at once.
        """
        ...

    def fan_in(self, ids: Sequence[int]) -> Mapping[int, int]:
        """Count distinct callers of each symbol by the default tiers; 0 is left out."""
        ...

    def fan_out(self, ids: Sequence[int]) -> Mapping[int, int]:
        """Count distinct callees of each symbol inside the repository by the default tiers; 0 is left out."""
        ...


class Structure(Protocol):
    """Sums over the whole graph of one snapshot; made at the first call and kept."""

    def dependencies(self) -> tuple[Dependency, ...]:
        """Return how often each file uses each other file, in order of path."""
        ...

    def hotspots(self, callers: int) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, callers) of symbols with more distinct callers than that, tests aside, most first."""
        ...

    def god_functions(self, callees: int) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, callees) of symbols with more distinct callees than that, most first."""
        ...

    def unreferenced(self) -> tuple[int, ...]:
        """
        Return ids of classes, functions and methods that no edge leads to but from itself and tests, by path and line.

        Tests, entry points and what is decorated are left out.
        """
        ...

    def external_names(self) -> frozenset[str]:
        """Return every dotted name that the code is known to take from outside the repository."""
        ...


class Facts(Protocol):
    """Behaviour facts of one snapshot."""

    def of(self, ids: Sequence[int], kinds: Sequence[FactKind] = ()) -> tuple[Fact, ...]:
        """Return the facts of these symbols by line; no kinds means all."""
        ...

    def with_value(self, kind: FactKind, value: str) -> tuple[Fact, ...]:
        """Return facts whose value is this, or is dotted and ends with it ("errors.FieldError" for "FieldError")."""
        ...

    def beginning(self, kind: FactKind, start: str) -> tuple[Fact, ...]:
        """Return facts whose value begins with this text, by symbol and line."""
        ...

    def messages(self, words: Sequence[str], limit: int) -> tuple[tuple[Fact, float], ...]:
        """Return error strings that hold some of the words, best first, each with a relevance above 0."""
        ...


class Documents(Protocol):
    """Documentation pages of one snapshot."""

    def get(self, ids: Sequence[int]) -> tuple[Document, ...]:
        """Return the pages of these ids in the order asked; unknown ids are left out."""
        ...

    def at(self, paths: Sequence[str]) -> tuple[Document, ...]:
        """Return the pages that come from these files, in the order of the files."""
        ...

    def search(self, words: Sequence[str], limit: int, prefix: str = "") -> tuple[tuple[Document, float], ...]:
        """Return pages below a prefix that hold some of the words, best first, each with a relevance above 0."""
        ...


class History(Protocol):
    """What changed together, from the version control history at indexing time."""

    def co_changed(self, path: str, minimum: int) -> tuple[tuple[str, int], ...]:
        """Return (path, count) of files changed together with this one at least `minimum` times, most often first."""
        ...


class Metadata(Protocol):
    """What the files of one snapshot are about."""

    def all(self) -> tuple[FileMetadata, ...]:
        """Return what is said of each file, in order of path; kept in memory after the first call."""
        ...


class Coverage(Protocol):
    """What the index does not know."""

    def skipped(self) -> tuple[tuple[str, int], ...]:
        """Return (path, number of SkipReason) of every file left out, in order of path."""
        ...


class Findings(Protocol):
    """Findings of analyzers; the layer may be absent."""

    def under(self, prefix: str, limit: int) -> tuple[Finding, ...]:
        """Return findings in paths that start with this, gravest first, then by category, path and line."""
        ...

    def tally(self, prefix: str) -> Mapping[tuple[Severity, str], int]:
        """Return how many findings there are in such paths by severity and category, in that order."""
        ...


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A symbol or document near a text: exactly one of the ids is set; `score` is a cosine, -1 to 1."""

    symbol_id: int | None
    document_id: int | None
    score: float


class Vectors(Protocol):
    """Embeddings of one snapshot's symbols and documents, with the model that made them."""

    async def nearest(self, text: str, *, symbols: int, documents: int) -> tuple[VectorHit, ...]:
        """Embed a text and return its neighbours, nearest first: at most so many symbols and documents."""
        ...


class Lexical(Protocol):
    """The lexical index of one snapshot: what can be ranked, and where terms stand."""

    @property
    def problem(self) -> str:
        """Return why no term can be looked up (the index was written with another analyzer); "" if all is well."""
        ...

    def corpus(self) -> Corpus:
        """Return what can be ranked; made at the first call and kept."""
        ...

    def postings(self, terms: Sequence[str]) -> TermPostings:
        """Return where terms of `common.core.terms` stand; unknown ones stand nowhere."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """
    An open snapshot.

    Args:
        vectors: None while the layer is not published, or its model is not at hand.
        findings: None while the layer is not published.
        metadata: None if the core was written before files were described.
        notes: What a caller should know, for example that another snapshot than the current one was read.
    """

    info: SnapshotInfo
    files: Files
    symbols: Symbols
    graph: Graph
    structure: Structure
    facts: Facts
    documents: Documents
    history: History
    coverage: Coverage
    lexical: Lexical
    vectors: Vectors | None = None
    findings: Findings | None = None
    metadata: Metadata | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What a judge is asked: which candidates of a stage serve the task, `keep` of them at most, best first."""

    stage: str
    task: str
    candidates: tuple[Candidate, ...]
    keep: int

    def kept(self, verdict: Verdict) -> tuple[int, ...]:
        """Return the positions of a verdict that are some, each once, best first, and no more than are wanted."""
        there = (each for each in verdict.kept if 0 <= each < len(self.candidates))
        return tuple(dict.fromkeys(there))[: self.keep]


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What a judge says.

    Args:
        kept: Positions of the candidates to keep, best first.
        text: What was said of all, for the log.
        shown: What the judge saw of each candidate, by position; shorter where it saw no text.
        said: What it said of each.
    """

    kept: tuple[int, ...]
    text: str = ""
    latency_ms: float = 0.0
    tokens: int = 0
    shown: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class Judge(Protocol):
    """Decides, after a stage has filtered by its own rules, what is worth showing."""

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Choose among candidates."""
        ...


class DecisionLog(Protocol):
    """Keeps what each retrieval considered; append-only, with a retention."""

    async def append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        """Add decisions after those of the same retrieval that are there."""
        ...

    async def read(
        self, repository: str, retrieval_id: str, after: int, limit: int
    ) -> tuple[tuple[int, Decision], ...]:
        """Return (sequence, decision) with a sequence above `after`, in order; empty if there are none."""
        ...


class Removals(Protocol):
    """Knows which repositories were removed."""

    def all(self) -> tuple[Removal, ...]:
        """Return the removals of the last year, in order of the repository's name."""
        ...


class TaskStore(Protocol):
    """Keeps where each task stands, with a retention, for all replicas."""

    async def load(self, repository: str, task_id: str) -> TaskState | None:
        """Return the last state that was kept; None if there is none."""
        ...

    async def keep(self, state: TaskState) -> TaskState:
        """
        Keep a state in place of the one of its `version`, and return it with the next one.

        Raises:
            Overloaded: if another replica has kept one in the meantime; trying again reads that one.
        """
        ...


class TaskJournal(Protocol):
    """Tells operators what becomes of tasks."""

    def budget_set(self, request: ContextRequest) -> None:
        """Note the effective budget of a task."""
        ...

    def judge_fell_back(self, stage: str, why: str) -> None:
        """Note that no model judged what a stage offered."""
        ...


class Meter(Protocol):
    """Counts what operators watch."""

    def stage_took(self, stage: str, seconds: float) -> None:
        """Note the time of one stage."""
        ...

    def gap_ended(self, outcome: str) -> None:
        """Count one gap by its outcome, lower case."""
        ...

    def tokens_supplied(self, source: str, tokens: int) -> None:
        """Note the tokens of one response that came from one source, lower case."""
        ...


class SnapshotStore(Protocol):
    """Opens published snapshots."""

    def open(self, repository: str, snapshot_id: str) -> AbstractAsyncContextManager[Snapshot]:
        """
        Open a snapshot for as long as the context lasts.

        Args:
            repository: Name under which it was indexed.
            snapshot_id: Identity; "" means the current one.

        Raises:
            RepositoryNotFound, IndexNotReady, SnapshotNotFound, SnapshotDamaged, SnapshotUnsupported.
        """
        ...

    async def at_revision(self, repository: str, revision: str) -> str:
        """
        Return the snapshot of a commit, or the revision itself if it is a snapshot id; "" stays "".

        Raises:
            RepositoryNotFound, SnapshotNotFound.
        """
        ...
