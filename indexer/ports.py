"""Ports: the protocols that the use cases call, and that adapters (files, databases, parsers, processes) implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from indexer.domain.findings.finding import Analysis, CodeFile, CodeSymbol, Finding, ImportedFinding, ImportOutcome
    from indexer.domain.jobs import Job, JobQuery, JobSpec, WorkEvent
    from indexer.domain.model import EdgeRow, Linked, LinkUnit, ParsedFile
    from indexer.domain.parsing import FileFacts, ParseRequest
    from indexer.domain.precise.document import CodeText, Document, IndexedSymbol
    from indexer.domain.precise.sites import BuiltPrecise, KeptImport, PreciseFile, PreciseOutcome, Withdrawal
    from indexer.domain.provisional.edit import CoreEdit
    from indexer.domain.provisional.published import PublishedFile, PublishedSymbol
    from indexer.domain.snapshots.core import Core, CoreSummary, FileMetadata
    from indexer.domain.snapshots.snapshot import Layer, SnapshotSet
    from indexer.domain.source.scan import Reading
    from indexer.domain.text.embedding import BuiltVectors
    from indexer.domain.tree import Commit, Entry, Listing, Revision, Skipped


class Language(Protocol):
    """Reads the files of one programming language. Can be pickled: parsing happens in other processes."""

    @property
    def name(self) -> str:
        """Return the language, lower case; it must not change between versions."""

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return its lower-case file endings with the dot, and names of files recognised by their whole name."""

    def label(self, path: str, /) -> str:
        """Return the language of a file for display: `name`, unless one adapter reads several languages."""

    # Suffixes of the files that determine module names. `module_names` may name files of other endings, too: these are
    # then parsed as this language.
    manifests: tuple[str, ...]

    def module_names(
        self, texts: Mapping[str, str], manifests: Mapping[str, str], known: Mapping[str, str] | None, /
    ) -> Mapping[str, str]:
        """Return each path's importable name; `known` are the published names, for an edit, None for a full index."""

    def parse(self, path: str, module: str, text: str, /) -> ParsedFile:
        """Return everything that can be known from one file alone; must not raise, however malformed the text is."""


class Linker(Protocol):
    """Finds the relations between symbols of one language."""

    def link(self, units: Sequence[LinkUnit]) -> Linked:
        """Return the edges between the units, which are sorted by path; the result depends on the units alone."""


class SourceTree(Protocol):
    """A tree of files to be indexed, as it is at one moment."""

    @property
    def commit(self) -> str:
        """Return the commit of the tree, "" without git."""

    def listing(self) -> Listing:
        """Return the entries of the tree, without reading their contents."""

    def read(self, entries: Sequence[Entry]) -> Iterator[bytes | None]:
        """Return the bytes of each entry in turn; None where it cannot be read any more."""

    def revision(self, blobs: Mapping[str, str]) -> Revision:
        """Return the commit, and whether the tree differs from it; `blobs` are the object ids of its files by path."""

    def history(self, limit: int) -> Sequence[Commit]:
        """Return at most `limit` commits, newest first; none without git."""


class SourceOpener(Protocol):
    """Opens the sources that jobs name."""

    def check(self, spec: JobSpec) -> None:
        """Find out, without reading files, whether a source is allowed. Raises SourceRefused or SourceUnavailable."""

    def open(self, spec: JobSpec) -> AbstractContextManager[SourceTree]:
        """Fetch what is needed. Raises SourceRefused or SourceUnavailable."""


class ScanMemory(Protocol):
    """A cache of what earlier scans read; it may drop anything."""

    def load(self, repository: str, commit: str) -> Mapping[str, Reading]:
        """Return by path what was read of a repository; object ids use the hash function of `commit`."""

    def save(self, repository: str, commit: str, readings: Mapping[str, Reading]) -> None:
        """Replace the stored readings of a repository."""


class Parser(Protocol):
    """Parses files in processes of their own, so that no file can harm this one."""

    def prepare(self) -> None:
        """Start the processes, as there will be something to parse; returns at once."""

    def load(self, like: ParseRequest) -> None:
        """Let a running process load, in advance, the code that parses files like this one; returns at once."""

    def parse(self, requests: Sequence[ParseRequest]) -> Iterator[FileFacts]:
        """Return facts in any order, one for each request; a file over its limits comes back with an error."""


class FactsCache(Protocol):
    """A cache of the facts of files; keys are made of a file's text, path and module, and the version of the code."""

    def get(self, keys: Sequence[str]) -> Mapping[str, FileFacts]:
        """Return the stored facts of these keys."""

    def put(self, facts: Sequence[FileFacts]) -> None:
        """Keep facts under their keys."""


class CoreWriter(Protocol):
    """Writes the core layer."""

    def write(self, core: Core, folder: Path) -> CoreSummary:
        """Write the layer's files into an empty folder and flush them to disk."""


class PublishedCore(Protocol):
    """A published core layer, from which the next one is made. All methods, and reading texts, raise CoreDamaged."""

    def require_intact(self) -> None:
        """Wait for the check of its digest, which starts when the layer is opened. Raises CoreDamaged."""

    def files(self) -> Mapping[str, PublishedFile]:
        """Return its files by path."""

    def skipped(self) -> Sequence[Skipped]:
        """Return the files that were left out or indexed as text only, in order of path."""

    def edited(self) -> frozenset[str]:
        """Return the paths of files edited since the last full linking; none unless the layer is provisional."""

    def symbols(self, file_id: int) -> tuple[PublishedSymbol, ...]:
        """Return the symbols of a file, in order of id."""

    def edges(self, file_id: int) -> tuple[EdgeRow, ...]:
        """Return the edges that start in a file, in order of id."""

    def reached(self, symbol_ids: Sequence[int]) -> Sequence[str]:
        """Return the paths of the files that edges from these symbols lead to, most edges first, ties by path."""

    def metadata(self, file_id: int) -> FileMetadata:
        """Return the metadata of a file."""

    def last_ids(self) -> tuple[int, int]:
        """Return the greatest ids of a file and of a symbol, 0 for none."""


class CorePatcher(Protocol):
    """Makes a core layer by copying and patching a published one."""

    def copy(self, source: Path, folder: Path, files: Sequence[int]) -> frozenset[str]:
        """
        Copy a published core layer into an empty folder and flush it to disk. Raises StorageFull, CoreDamaged.

        Returns: At least all search terms of the files with these ids.
        """

    def patch(self, folder: Path, edit: CoreEdit, terms: frozenset[str]) -> CoreSummary:
        """Patch the copy; `terms` are what `copy` returned for the edited files. Raises StorageFull, CoreDamaged."""


class PublishedCores(Protocol):
    """Opens core layers."""

    def open(self, layer: Layer, folder: Path) -> AbstractContextManager[PublishedCore]:
        """Open the layer in a folder. Raises CoreDamaged."""


class RepositoryAnnouncer(Protocol):
    """Announces repositories to readers."""

    def announce(self, repository: str) -> None:
        """Announce a repository before its first snapshot. Raises StorageFull."""


class SnapshotStore(RepositoryAnnouncer, Protocol):
    """Published snapshots of all repositories."""

    def current(self, repository: str) -> SnapshotSet | None:
        """Return the current set, None if there is none that this release can read."""

    def sets(self, repository: str) -> Sequence[SnapshotSet]:
        """Return all sets that this release can read, newest first, ties by id."""

    def staging(self, repository: str) -> AbstractContextManager[Path]:
        """
        Lock a repository for publication and return an empty folder for layers; removes unpublished layers at the end.

        Waits while another publication holds the lock. Raises StateForbids if that takes too long, StorageFull,
        RepositoryNotFound for a repository that was not announced.
        """

    def layer_folder(self, repository: str, layer: Layer) -> Path:
        """Return the folder of a published layer."""

    def damaged(self, repository: str, layers: Sequence[Layer]) -> Sequence[Layer]:
        """Return those of the given published layers whose files are damaged; reads all of the files."""

    def publish(self, snapshot: SnapshotSet, staged: Mapping[Layer, Path]) -> SnapshotSet:
        """
        Move staged layers to their place and make the set current, all or nothing; return what is current.

        Inside `staging` only. A publication time that is not later than those of all other sets, as after the clock was
        set back, is replaced by a later one. Raises StorageFull.
        """

    def ensure_served(self, snapshot: SnapshotSet) -> None:
        """Complete the publication of the current set, if it was interrupted before all readers could read the set."""


class Scratch(Protocol):
    """Temporary folders for work that is published later."""

    def folder(self) -> AbstractContextManager[Path]:
        """Return an empty folder on the snapshots' disk; removed at the end or, after a crash, by a later call."""


class SnapshotOutbox(Protocol):
    """Published snapshots still to be uploaded for remote readers. Its methods block: call them in a thread."""

    def owe(self, repository: str) -> None:
        """Note that a repository is to be uploaded."""

    def owed(self) -> Sequence[str]:
        """Return the repositories that are to be uploaded and that no process is uploading now, by name."""

    def bring(self, repository: str) -> None:
        """Upload the current set of a repository. Raises DependencyUnavailable."""

    def uploaded(self) -> int:
        """Return the bytes that all processes have uploaded since the last call."""


class SnapshotAdmin(Protocol):
    """Changes which snapshots are there. Raises RepositoryNotFound."""

    def repositories(self) -> Sequence[str]:
        """Return the names of repositories with a current snapshot, in order."""

    def rollback(self, repository: str, snapshot_id: str) -> SnapshotSet:
        """Make a set current; "" takes the newest set that has another core. Raises SnapshotNotFound, StateForbids."""

    def delete(self, repository: str) -> int:
        """Remove all of a repository and return how many sets it had. Raises StateForbids."""


class WorkSink(Protocol):
    """Receives the events of a job."""

    def tell(self, event: WorkEvent) -> None:
        """Receive an event; must return fast, as it is called often."""


class JobWorker(Protocol):
    """Does each job in a process that can be ended at any moment."""

    def work(self, spec: JobSpec) -> AsyncGenerator[WorkEvent, None]:
        """Index, and yield events on the way; raises JobFailed. Closing the generator ends the work at once."""


class IndexMetrics(Protocol):
    """Metrics of the indexer."""

    def published(self, job: Job) -> None:
        """Count that the snapshot of a job has begun to serve."""

    def job_ended(self, job: Job) -> None:
        """Count a job in its final state."""


class VectorBuilder(Protocol):
    """Makes the vectors layer of a core layer."""

    def build(self, repository: str, core: Path, folder: Path, advance: Callable[[int, int], None]) -> BuiltVectors:
        """
        Embed symbols and docs of code.db in the folder `core` and write the layer into the empty `folder`.

        Blocks for minutes and holds the interpreter's lock: call it in a process that does nothing else.

        Args:
            advance: Called with the number of newly embedded units and the number of all units.

        Raises DependencyUnavailable or ModelUnavailable; what was embedded so far is kept for the next try.
        """

    def keep_only(self, repository: str, layers: Sequence[Path]) -> None:
        """Delete the repository's vectors on a vector server, except those of the layers in these folders."""


class JobQueue(Protocol):
    """A persistent queue of jobs. Its methods block on the disk: call them in a thread."""

    def add(self, job: Job) -> Job:
        """
        Store a new job; if a job with the same request id exists, return that one instead.

        Raises RequestIdReused if the existing job is to index something else, StorageFull, StorageRefused.
        """

    def get(self, job_id: str) -> Job | None:
        """Return a job; None if it does not exist."""

    def update(self, job: Job) -> None:
        """Replace a job that is there and not in a final state. Raises StorageFull, StorageRefused."""

    def waiting(self, without: Sequence[str]) -> Sequence[Job]:
        """Return the oldest waiting job of each repository, oldest first; jobs with the given ids do not count."""

    def find(self, query: JobQuery) -> Sequence[Job]:
        """Return the jobs that match, newest first, at most `query.limit`."""


class Analyzer(Protocol):
    """A static analyzer: finds what is wrong in code without running it."""

    @property
    def name(self) -> str:
        """Return the name by which its findings name their tool."""

    @property
    def version(self) -> str:
        """Return the version; it changes whenever the findings for the same code may change."""

    def analyze(self, core: Path, room: Path) -> Sequence[Finding]:
        """
        Return what it finds in code.db of the folder `core`, in any order; blocks for seconds.

        Args:
            room: An empty folder to work in.

        Raises AnalyzerFailed.
        """


class CoreCode(Protocol):
    """Reads from a core layer the files and symbols that findings are attached to."""

    def files(self, core: Path) -> Mapping[str, CodeFile]:
        """Return the files of code.db in the folder `core`, by path."""

    def symbols(self, core: Path, paths: Sequence[str]) -> Mapping[str, Sequence[CodeSymbol]]:
        """Return the symbols of these files, by path."""


class FindingsLayer(Protocol):
    """The findings layer of a snapshot."""

    def write(self, analysis: Analysis, folder: Path) -> Layer:
        """Write findings, which are sorted already, into an empty folder."""

    def read(self, folder: Path) -> Analysis:
        """Return the findings of the layer in a folder."""


class FindingsArchive(Protocol):
    """Findings that were imported, by repository and tool."""

    def replace(self, repository: str, tool: str, findings: Sequence[ImportedFinding]) -> None:
        """Store the findings of a tool in place of its earlier ones. Raises StorageFull."""

    def findings(self, repository: str) -> Sequence[ImportedFinding]:
        """Return all findings of a repository, by tool."""

    def remove(self, repository: str) -> None:
        """Forget the imports of a repository."""


class ImportRequests(Protocol):
    """Import requests that were carried out, for idempotency."""

    def outcome(self, repository: str, request_id: str, content: str) -> ImportOutcome | None:
        """Return the outcome of a request, None if there was none. Raises RequestIdReused if its content differed."""

    def record(self, repository: str, request_id: str, content: str, outcome: ImportOutcome) -> None:
        """Keep the outcome of a request; `content` is the hash of the imported file."""


class ScipIndex(Protocol):
    """An uploaded index in the SCIP format. Its methods raise IndexMalformed if the file is cut off or malformed."""

    def root(self) -> str:
        """Return the URI of the folder that paths are relative to, "" if the index has none."""

    def tool(self) -> str:
        """Return name and version of the tool that made it, "" if the index has none."""

    def paths(self) -> Iterator[str]:
        """Return the path of each document."""

    def documents(self) -> Iterator[Document]:
        """Return the documents, always in the same order."""


class IndexedTexts(Protocol):
    """The files of a core layer with their texts."""

    def paths(self) -> frozenset[str]:
        """Return the paths of all files."""

    def file(self, path: str) -> CodeText:
        """Return a file, which must exist."""

    def by_module(self) -> Mapping[str, IndexedSymbol]:
        """Return definitions by module and qualified name."""


class PreciseArchive(Protocol):
    """Imported precise edges, by repository and file."""

    def put(self, repository: str, files: Sequence[PreciseFile], *, tool: str, time: datetime) -> None:
        """Replace the stored edges of files by those of one SCIP index. Raises StorageFull."""

    def imports(self, repository: str) -> Sequence[KeptImport]:
        """Return the imports whose edges are still stored for at least one file, newest first, ties by id."""

    def withdraw(self, repository: str, import_ids: Sequence[str]) -> None:
        """Delete imports, but keep their ids and numbers of files for `unfinished`. Raises StorageFull."""

    def unfinished(self, repository: str) -> Mapping[str, int]:
        """Return the withdrawn imports whose edges may still be published, with the number of their files."""

    def finish(self, repository: str, import_ids: Sequence[str]) -> None:
        """Delete the ids, too, of withdrawn imports whose edges are no longer published. Raises StorageFull."""

    def texts(self, repository: str) -> Mapping[str, tuple[str, str]]:
        """Return for each path with stored edges the hash of the text they hold for, and a hash of the edges."""

    def files(self, repository: str, paths: Sequence[str]) -> Sequence[PreciseFile]:
        """Return the stored edges of files, in order of path."""

    def remove(self, repository: str) -> None:
        """Forget the imports of a repository."""


class PreciseLayer(Protocol):
    """The layer with precise edges."""

    def build(self, core: Path, files: Sequence[PreciseFile], imports: str, folder: Path) -> BuiltPrecise:
        """Write a core's edges, replaced for `files`, into an empty folder; `imports` identifies the imports used."""

    def read(self, folder: Path) -> tuple[str, BuiltPrecise]:
        """Return the `imports` that a layer was built with, and its numbers of edges."""


class PreciseImporter(Protocol):
    """Imports and withdraws indexes in a process of its own, so that no index can harm this one."""

    async def run(self, repository: str, chunks: AsyncIterator[bytes]) -> PreciseOutcome:
        """Import an index; cancelling kills the process. Raises what `ApplyPreciseImport` does, or ImportFailed."""

    async def withdraw(self, repository: str, import_ids: Sequence[str]) -> Withdrawal:
        """Withdraw imports; cancelling kills the process. Raises as `ApplyPreciseWithdrawal` does, or ImportFailed."""
