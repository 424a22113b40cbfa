"""
What the retriever needs from outside.

The readers of a snapshot are synchronous: each call is a few indexed queries. Use cases call them in a thread
(`asyncio.to_thread`), never on the event loop. They are safe to call from any number of threads at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from retriever.domain.tasks.judgement import JudgeRequest as JudgeRequest  # noqa: TC001 - imported from here
from retriever.domain.tasks.judgement import Verdict as Verdict  # noqa: TC001 - imported from here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from common.core.contract.snapshot import Severity
    from common.core.removals import Removal
    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.declared.metadata import FileMetadata
    from retriever.domain.evidence.piece import Decision
    from retriever.domain.ranking.corpus import Corpus, Floats, TermPostings
    from retriever.domain.tasks.task import ContextRequest, TaskState
    from retriever.domain.values import (
        Document,
        Edge,
        EdgeKind,
        Fact,
        FactKind,
        File,
        Finding,
        LeftOut,
        SnapshotInfo,
        Symbol,
        TextHit,
        Tier,
    )
    from retriever.domain.views.structure import Dependency


class Files(Protocol):
    """Files of one snapshot."""

    def all(self) -> tuple[File, ...]:
        """Return every file in order of path; kept in memory after the first call."""
        ...

    def at(self, path: str) -> File | None:
        """Return the file of exactly this path; None if there is none."""
        ...

    def with_stem(self, stem: str) -> tuple[File, ...]:
        """Return files whose name (with or without extension) or whose module's last part is this, by path."""
        ...

    def folders(self) -> Mapping[str, bool]:
        """Map every folder, without a trailing slash, to whether anything in or below it is not a test."""
        ...

    def text(self, path: str) -> str:
        """Return the whole text of a file, "" if there is none; recently read files are kept."""
        ...

    def lines(self, path: str, start: int, end: int) -> str:
        """Return lines of a file, 1-based and inclusive, each with its line feed; "" if there are none."""
        ...


class Texts(Protocol):
    """Exact search in the texts of all files of one snapshot."""

    def find(self, text: str, *, limit: int) -> tuple[TextHit, ...]:
        """
        Return the first `limit` lines on which a text begins; () means that no file contains it.

        Whole words, with case, white space alike. Code, tests, examples, documentation; then by path and line.
        """
        ...

    def containing(self, text: str, *, limit: int) -> tuple[TextHit, ...]:
        """Like `find`, but also within longer words; if no file matches so, ignore case. May read every file."""


class Symbols(Protocol):
    """Symbols of one snapshot."""

    def get(self, ids: Sequence[int]) -> tuple[Symbol, ...]:
        """Return the symbols of these ids in the order of `ids`; unknown ids are left out."""
        ...

    def named(self, name: str) -> tuple[Symbol, ...]:
        """Return symbols with this simple name (case is ignored; exact case first), then by path and line."""
        ...

    def in_file(self, path: str) -> tuple[Symbol, ...]:
        """Return the symbols of a file in order of start line, its module first."""
        ...


class Graph(Protocol):
    """Edges of one snapshot, in the order of the `ids` asked for, then by line, then by edge id."""

    def outgoing(
        self, ids: Sequence[int], kinds: Sequence[EdgeKind], tiers: Sequence[Tier] = (), *, min_confidence: float = 0.0
    ) -> tuple[Edge, ...]:
        """Return edges that start at these symbols, external and unresolved ones too; no `tiers` means the default."""
        ...

    def incoming(
        self, ids: Sequence[int], kinds: Sequence[EdgeKind], *, min_confidence: float = 0.0
    ) -> tuple[Edge, ...]:
        """Return resolved edges that end at these symbols, by the default tiers."""
        ...

    def pairs(self, ids: Sequence[int], kinds: Sequence[EdgeKind]) -> Floats:
        """
        Return rows of (source, target, highest confidence) of resolved edges from or to these, by the default tiers.

        Each pair comes once, in order of source, then target.
        """
        ...

    def fan_in(self, ids: Sequence[int]) -> Mapping[int, int]:
        """Count distinct callers of each symbol by the default tiers; symbols without any are left out."""
        ...

    def fan_out(self, ids: Sequence[int]) -> Mapping[int, int]:
        """Count distinct callees in the repository by the default tiers; symbols without any are left out."""
        ...


class Structure(Protocol):
    """Aggregates over the whole graph of one snapshot; computed at the first call and kept."""

    def dependencies(self) -> tuple[Dependency, ...]:
        """Return how often each file uses each other file, in order of path."""
        ...

    def hotspots(self, callers: int) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, callers) of symbols with more than `callers` callers, without tests, most first."""
        ...

    def god_functions(self, callees: int) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, callees) of symbols with more than `callees` distinct callees, most first."""
        ...

    def unreferenced(self) -> tuple[int, ...]:
        """Return ids of undecorated classes and functions to which only tests or they themselves refer, by place."""
        ...

    def external_imports(self, written: str) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, line) of imports of packages of others whose name has these parts, by path and line."""
        ...

    def external_names(self) -> frozenset[str]:
        """Return every dotted name that code imports from outside the repository."""
        ...


class Facts(Protocol):
    """Behaviour facts of one snapshot."""

    def of(self, ids: Sequence[int], kinds: Sequence[FactKind] = ()) -> tuple[Fact, ...]:
        """Return the facts of these symbols by line, of all kinds if none is given."""
        ...

    def with_value(self, kind: FactKind, value: str) -> tuple[Fact, ...]:
        """Return facts with this value, or a dotted one that ends with it ("errors.FieldError" for "FieldError")."""
        ...

    def beginning(self, kind: FactKind, start: str) -> tuple[Fact, ...]:
        """Return facts whose value begins with this text, by symbol and line."""
        ...

    def messages(self, words: Sequence[str], limit: int) -> tuple[tuple[Fact, float], ...]:
        """Return up to `limit` error strings with some of the words, best first, each with a relevance above 0."""
        ...


class Values(Protocol):
    """Values that source gives to names, without tests, by path and line; none before schema version 2."""

    def names(self) -> tuple[str, ...]:
        """Return every dotted name that is given a value, sorted; kept in memory after the first call."""
        ...

    def named(self, name: str) -> tuple[GivenValue, ...]:
        """Return the values whose last key is a suffix of the name, in any spelling (see `folded`)."""
        ...

    def in_files(self, paths: Sequence[str]) -> tuple[GivenValue, ...]:
        """Return the values in files."""
        ...

    def of_kind(self, kind: FactKind, beginning: str = "") -> tuple[GivenValue, ...]:
        """Return the facts of a kind whose name has this prefix, each as a value: its name is the only key."""
        ...


class Documents(Protocol):
    """Documentation pages of one snapshot."""

    def get(self, ids: Sequence[int]) -> tuple[Document, ...]:
        """Return the pages of these ids in the order of `ids`; unknown ids are left out."""
        ...

    def at(self, paths: Sequence[str]) -> tuple[Document, ...]:
        """Return the pages made from these files, in the order of `paths`."""
        ...

    def search(self, words: Sequence[str], limit: int, prefix: str = "") -> tuple[tuple[Document, float], ...]:
        """Return up to `limit` pages below a prefix with some of the words, best first; each relevance is above 0."""
        ...


class History(Protocol):
    """Files that changed together, from the version control history at indexing time."""

    def co_changed(self, path: str, minimum: int) -> tuple[tuple[str, int], ...]:
        """Return (path, count) of files changed together with this one at least `minimum` times, most often first."""
        ...


class Metadata(Protocol):
    """Descriptions of the files of one snapshot."""

    def all(self) -> tuple[FileMetadata, ...]:
        """Return the description of each file, in order of path; kept in memory after the first call."""
        ...


class Coverage(Protocol):
    """Files that the index left out."""

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return every file whose text is not in the snapshot, in order of path."""
        ...

    def may_hold(self, text: str) -> LeftOut | None:
        """Return the first left-out file that has every word of a text; else the first whose words are unknown."""
        ...


class Findings(Protocol):
    """Findings of analyzers, from a layer that a snapshot may lack."""

    def under(self, prefix: str, limit: int) -> tuple[Finding, ...]:
        """Return up to `limit` findings below a path prefix, most severe first, then by category, path and line."""
        ...

    def tally(self, prefix: str) -> Mapping[tuple[Severity, str], int]:
        """Count the findings in paths with this prefix by severity and category, in that order."""
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
        """Embed a text and return its nearest symbols and documents, the nearest first, at most the given numbers."""
        ...


class Lexical(Protocol):
    """The lexical index of one snapshot: what can be ranked, and the postings of terms."""

    @property
    def problem(self) -> str:
        """Return why no term can be looked up (the index was written with another analyzer); "" if all is well."""
        ...

    def corpus(self) -> Corpus:
        """Return what can be ranked; computed at the first call and kept."""
        ...

    def postings(self, terms: Sequence[str]) -> TermPostings:
        """Return the postings of terms as `common.core.words.terms` makes them; unknown terms have none."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """
    An open snapshot.

    Args:
        vectors: None while the layer is not published, or cannot be used.
        vectors_problem: Why a published layer cannot be used; "" if there is none, or none is wanted.
        findings: None while the layer is not published.
        metadata: None if the core was written before files were described.
        notes: For the caller, for example that another snapshot than the current one was read.
    """

    info: SnapshotInfo
    files: Files
    texts: Texts
    symbols: Symbols
    graph: Graph
    structure: Structure
    facts: Facts
    values: Values
    documents: Documents
    history: History
    coverage: Coverage
    lexical: Lexical
    vectors: Vectors | None = None
    vectors_problem: str = ""
    findings: Findings | None = None
    metadata: Metadata | None = None
    notes: tuple[str, ...] = ()


class Judge(Protocol):
    """Selects among the candidates of a stage."""

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Choose among candidates."""
        ...


class DecisionLog(Protocol):
    """Stores the decisions of each retrieval; append-only, deleted after a retention period."""

    async def append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        """Append decisions to those of the same retrieval."""
        ...

    async def read(
        self, repository: str, retrieval_id: str, after: int, limit: int
    ) -> tuple[tuple[int, Decision], ...]:
        """Return up to `limit` pairs (sequence, decision) with a sequence above `after`, in order; may be empty."""
        ...


class Removals(Protocol):
    """Knows which repositories were removed."""

    def all(self) -> tuple[Removal, ...]:
        """Return the removals of the last year, in order of the repository's name."""
        ...


class TaskStore(Protocol):
    """Stores the state of each task for all replicas; deleted after a retention period."""

    async def load(self, repository: str, task_id: str) -> TaskState | None:
        """Return the last stored state of a task; None if there is none."""
        ...

    async def keep(self, state: TaskState) -> TaskState:
        """
        Store a state if the stored one still has its `version`; return it with the next version.

        Raises Overloaded if another replica has stored a state in the meantime; a retry reads that one.
        """
        ...


class TaskJournal(Protocol):
    """Logs the progress of tasks for operators."""

    def budget_set(self, request: ContextRequest) -> None:
        """Record the effective budget of a task."""
        ...

    def judge_fell_back(self, stage: str, why: str) -> None:
        """Record that rules judged a stage because no model could."""
        ...


class Meter(Protocol):
    """Counts for operators' metrics."""

    def stage_took(self, stage: str, seconds: float) -> None:
        """Record the time of one stage."""
        ...

    def gap_ended(self, outcome: str) -> None:
        """Count one gap by its outcome, in lower case."""
        ...

    def tokens_supplied(self, source: str, tokens: int) -> None:
        """Record the tokens that one response took from one source, whose name is in lower case."""
        ...


class SnapshotStore(Protocol):
    """Opens published snapshots."""

    def open(self, repository: str, snapshot_id: str) -> AbstractAsyncContextManager[Snapshot]:
        """
        Open a snapshot for as long as the context lasts; "" as its identity means the current one.

        Raises RepositoryNotFound, IndexNotReady, SnapshotNotFound, SnapshotDamaged, SnapshotUnsupported.
        """
        ...

    async def at_revision(self, repository: str, revision: str) -> str:
        """
        Return the snapshot of a commit, or the revision itself if it is a snapshot id; "" stays "".

        Raises RepositoryNotFound, SnapshotNotFound.
        """
        ...
