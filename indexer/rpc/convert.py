"""Messages of cgrag.indexer.v1 as values of the domain, and back."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2 as pb
from cgrag.type.v1 import code_pb2, error_pb2
from pathspec import GitIgnoreSpec

from common.core.contract.snapshot import LayerKind
from common.rpc.validation import Violations
from indexer.domain.jobs import GitSource, Job, JobSpec, LocalSource, Progress, default_name
from indexer.domain.snapshots.snapshot import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.snapshots.invariants import Checked
    from indexer.domain.snapshots.snapshot import Counts
    from indexer.usecases.snapshots import ListedSnapshot, RepositoryState

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 200

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_NAME_RULE = 'must be 1 to 100 of a-z, 0-9, ".", "_", "-", starting with a letter or digit'
_MOST_PATHS = 200
_SNAPSHOT_ID = re.compile(r"[0-9a-f]{64}")
_MAX_EXCLUDES = 100
_MAX_GLOB = 500
_MAX_CHUNK_BYTES = 1 << 20
_MAX_VIOLATIONS = 1000
_LAYERS: dict[str, pb.LayerKind.ValueType] = {
    LayerKind.CORE: pb.LAYER_KIND_CORE,
    LayerKind.VECTORS: pb.LAYER_KIND_VECTORS,
    LayerKind.FINDINGS: pb.LAYER_KIND_FINDINGS,
    LayerKind.ENRICHMENT: pb.LAYER_KIND_ENRICHMENT,
    LayerKind.PRECISE: pb.LAYER_KIND_PRECISE_EDGES,
}


@contextmanager
def checked() -> Iterator[Violations]:
    """Yield a collection of wrong fields; raise InvalidArgument at the end if there are any."""
    wrong = Violations()
    yield wrong
    wrong.raise_if_any()


def job_spec(request: pb.StartIndexingRequest) -> tuple[JobSpec, str]:
    """Return what is to be indexed and the request id. Raises InvalidArgument."""
    with checked() as wrong:
        source = _source(request.source, wrong)
        name = request.repository or default_name(source)
        # A default name derived from an invalid source is not reported a second time.
        if request.repository or not wrong:
            wrong.require(_NAME.fullmatch(name) is not None, "repository", _NAME_RULE)
        wrong.text(request.request_id, "request_id", max_length=64)
        for field, glob in wrong.items(request.exclude, "exclude", maximum=_MAX_EXCLUDES):
            wrong.require(_is_glob(glob), field, "must be a pattern as in .gitignore")
    return JobSpec(name, source, tuple(request.exclude), request.without_vectors), request.request_id


def _source(message: pb.Source, wrong: Violations) -> LocalSource | GitSource:
    if message.WhichOneof("kind") == "git":
        wrong.text(message.git.url, "source.git.url", min_length=1, max_length=2000)
        wrong.text(message.git.revision, "source.git.revision", max_length=250)
        return GitSource(message.git.url, message.git.revision)
    if wrong.require(bool(message.WhichOneof("kind")), "source", "must name a local_path or a git repository"):
        wrong.text(message.local_path, "source.local_path", min_length=1, max_length=4000)
    wrong.require(message.local_path[:1] in ("", "/"), "source.local_path", "must be absolute")
    return LocalSource(message.local_path)


def _is_glob(text: str) -> bool:
    if not text.strip() or len(text) > _MAX_GLOB or "\n" in text or "\0" in text:
        return False
    try:
        GitIgnoreSpec.from_lines([text])
    except ValueError:
        return False
    return True


def repository_name(name: str, field: str = "repository") -> str:
    """Return the name of a repository, given in a field. Raises InvalidArgument."""
    with checked() as wrong:
        wrong.require(_NAME.fullmatch(name) is not None, field, _NAME_RULE)
    return name


def check_part(
    request: pb.ImportFindingsRequest | pb.ImportPreciseEdgesRequest, wrong: Violations, *, is_first: bool
) -> None:
    """Check a message of an upload: the first one alone has the header. Raises InvalidArgument for a bad repository."""
    if not is_first:
        wrong.require(not request.HasField("header"), "header", "must be in the first message only")
    elif wrong.require(request.HasField("header"), "header", "must be in the first message"):
        repository_name(request.header.repository, field="header.repository")
    wrong.require(len(request.chunk) <= _MAX_CHUNK_BYTES, "chunk", "must have at most 1 MiB")


def snapshot_name(snapshot_id: str) -> str:
    """Return a snapshot id or "". Raises InvalidArgument."""
    with checked() as wrong:
        fits = not snapshot_id or _SNAPSHOT_ID.fullmatch(snapshot_id) is not None
        wrong.require(fits, "snapshot_id", "must be 64 lower-case hexadecimal digits")
    return snapshot_id


def some_paths(paths: Sequence[str]) -> tuple[str, ...]:
    """Return paths of a request, 1 to 200 of them. Raises InvalidArgument."""
    with checked() as wrong:
        wrong.require(0 < len(paths) <= _MOST_PATHS, "paths", f"must be 1 to {_MOST_PATHS}, not {len(paths)}")
    return tuple(paths)


def job_name(job_id: str) -> str:
    """Return a job id. Raises InvalidArgument."""
    with checked() as wrong:
        wrong.text(job_id, "job_id", min_length=1, max_length=100)
    return job_id


def page_size(size: int) -> int:
    """Return how many entries a page has. Raises InvalidArgument."""
    with checked() as wrong:
        wrong.number(size, "page_size", minimum=0, maximum=MAX_PAGE_SIZE)
    return size or DEFAULT_PAGE_SIZE


def job_message(job: Job) -> pb.IndexJob:
    """Return a job without credentials."""
    source = job.spec.source
    if isinstance(source, LocalSource):
        place = pb.Source(local_path=source.path)
    else:
        place = pb.Source(git=pb.GitSource(url=source.public_url, revision=source.revision))
    message = pb.IndexJob(
        job_id=job.job_id,
        repository=job.spec.repository,
        source=place,
        state=pb.IndexJobState.ValueType(job.state),
        counts=counts_message(job.counts),
        snapshot_id=job.snapshot_id,
        error=job.error,
        unchanged=job.unchanged,
        superseded_by=job.superseded_by,
        provisional=job.provisional,
    )
    if job.error_reason:
        # A reason that this release does not know becomes UNSPECIFIED: a later release may have stored the job.
        reason = error_pb2.ErrorReason.DESCRIPTOR.values_by_name.get(job.error_reason)
        message.error_reason = error_pb2.ErrorReason.ValueType(reason.number if reason else 0)
    if job.progress is not None:
        message.progress.CopyFrom(_progress(job.progress))
    message.create_time.FromDatetime(job.create_time)
    if job.start_time is not None:
        message.start_time.FromDatetime(job.start_time)
    if job.end_time is not None:
        message.end_time.FromDatetime(job.end_time)
    return message


def _progress(progress: Progress) -> pb.IndexProgress:
    message = pb.IndexProgress(
        phase=pb.IndexPhase.ValueType(progress.phase), done=progress.done, total=progress.total, rate=progress.rate
    )
    eta = progress.eta_seconds
    if eta is not None:
        message.eta.FromTimedelta(timedelta(seconds=eta))
    return message


def counts_message(counts: Counts) -> pb.IndexCounts:
    """Return the counts of a snapshot or job, its skip reasons in order."""
    return pb.IndexCounts(
        **counts.numbers,
        skipped=[
            pb.SkipCount(reason=pb.SkipReason.ValueType(reason), files=number)
            for reason, number in sorted(counts.skipped.items())
        ],
        cut=[
            pb.CutLink(language=language, tiers=[code_pb2.EdgeTier.ValueType(tier) for tier in tiers])
            for language, tiers in sorted(counts.cut.items())
        ],
    )


def snapshot_message(listed: ListedSnapshot) -> pb.Snapshot:
    """Return a published set."""
    snapshot = listed.snapshot
    message = pb.Snapshot(
        snapshot_id=snapshot.snapshot_id,
        repository=snapshot.repository,
        source_identity=snapshot.source_identity,
        commit=snapshot.commit,
        dirty=snapshot.dirty,
        layers=[
            pb.Layer(
                kind=_LAYERS.get(each.kind, pb.LAYER_KIND_UNSPECIFIED),
                digest=each.digest,
                bytes=each.bytes,
                model=each.model,
            )
            for each in snapshot.layers
        ],
        counts=counts_message(snapshot.counts),
        current=listed.current,
        schema_version=SCHEMA_VERSION,
        provisional=snapshot.provisional,
    )
    message.publish_time.FromDatetime(snapshot.publish_time)
    return message


def repository_message(state: RepositoryState, current: pb.Snapshot | None) -> pb.Repository:
    """Return a repository with its state."""
    return pb.Repository(repository=state.repository, current=current, active_job_id=state.active_job_id)


def checked_message(snapshot_id: str, checked: Checked) -> pb.CheckSnapshotResponse:
    """Encode the result of a snapshot check."""
    return pb.CheckSnapshotResponse(
        snapshot_id=snapshot_id,
        edges=checked.edges,
        symbols=checked.symbols,
        total=len(checked.violations),
        violations=[
            pb.InvariantViolation(
                invariant=pb.Invariant.ValueType(each.invariant), path=each.path, line=each.line, message=each.message
            )
            for each in checked.violations[:_MAX_VIOLATIONS]
        ],
    )
