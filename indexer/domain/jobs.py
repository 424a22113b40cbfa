"""Indexing jobs: specification, states, progress."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from indexer.domain.snapshots.snapshot import Counts

if TYPE_CHECKING:
    from datetime import datetime


MAX_ATTEMPTS = 3
"""A job is started at most this many times; interrupted once more, it fails."""

_INTERNAL = "ERROR_REASON_INTERNAL"


class JobState(IntEnum):
    """State of a job; the values are those of the contract."""

    QUEUED = 1
    RUNNING = 2
    ENRICHING = 3
    SUCCEEDED = 4
    FAILED = 5
    CANCELLED = 6

    @property
    def final(self) -> bool:
        """Return whether the job has ended: no other state follows."""
        return self in (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


UNFINISHED = tuple(state for state in JobState if not state.final)
BEGUN = tuple(state for state in UNFINISHED if state != JobState.QUEUED)
"""States of jobs that a worker has started and that have not ended."""


class Phase(IntEnum):
    """Steps of a job; numbers are those of the contract. Analyzing, then describing come before embedding."""

    FETCHING = 1
    SCANNING = 2
    PARSING = 3
    LINKING = 4
    WRITING = 5
    PUBLISHING = 6
    EMBEDDING = 7
    ANALYZING = 8
    DESCRIBING = 9


@dataclass(frozen=True, slots=True)
class GitSource:
    """A git repository at a revision; an empty revision means the remote's HEAD."""

    url: str
    revision: str = ""

    @property
    def public_url(self) -> str:
        """Return the URL without user and password; user@host:path, which has no password, stays as it is."""
        scheme, mark, rest = self.url.partition("://")
        if not mark:
            return self.url
        authority, slash, path = rest.partition("/")
        return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A directory of this machine."""

    path: str


@dataclass(frozen=True, slots=True)
class JobSpec:
    """
    What to index.

    Args:
        repository: Name by which it is asked for.
        source: Where the files are.
        exclude: Globs of paths to leave out, in the form of .gitignore lines.
        without_vectors: Do not make the vectors layer.
    """

    repository: str
    source: LocalSource | GitSource
    exclude: tuple[str, ...] = ()
    without_vectors: bool = False


def default_name(source: LocalSource | GitSource) -> str:
    """Return a repository name made of the last part of a path or URL; "" if nothing of it can stand in a name."""
    raw = source.path if isinstance(source, LocalSource) else source.url
    last = re.split(r"[/:]", raw.rstrip("/"))[-1].removesuffix(".git").lower()
    return re.sub(r"[^a-z0-9._-]+", "-", last).lstrip("._-")[:100]


@dataclass(frozen=True, slots=True)
class Progress:
    """
    How far a phase is.

    Args:
        done: Units so far.
        total: Units to do; 0 while unknown.
        rate: Units a second, since the phase began.
        share: Part of the work that is done, 0 to 1, where units are known to differ in size; else 0.
    """

    phase: Phase
    done: int = 0
    total: int = 0
    rate: float = 0.0
    share: float = 0.0

    @property
    def eta_seconds(self) -> float | None:
        """Return the estimated time to the end of the phase, None while unknown."""
        if not self.total or self.rate <= 0:
            return None
        if self.share > 0:
            return self.done / self.rate * (1 - self.share) / self.share
        return max(0, self.total - self.done) / self.rate


@dataclass(frozen=True, slots=True)
class Progressed:
    """Event: progress of a job within a phase."""

    progress: Progress
    counts: Counts


@dataclass(frozen=True, slots=True)
class Published:
    """
    Event: a job has published a set of layers, first the core alone, then once more with each later layer.

    Args:
        unchanged: The core was published before this job, so the source had not changed; only meaningful for the event
            of the core.
        provisional: The set is approximate; the job continues and replaces it by the exact one.
    """

    snapshot_id: str
    unchanged: bool
    counts: Counts
    provisional: bool = False


WorkEvent = Progressed | Published
"""Event that a worker reports about its job."""


@dataclass(frozen=True, slots=True)
class Job:
    """
    A run that makes a snapshot.

    Args:
        attempts: How many times a worker has started it.
        snapshot_id: Snapshot that it has published; "" before.
        provisional: The published snapshot shows an edit before all files are linked again.
        error: Why it failed, as a text for people; "" if it did not.
        error_reason: Why it failed, as a name of `cgrag.type.v1.ErrorReason`.
        superseded_by: Id of the later job of the repository that makes the layers which this one did not make after it
            published its core; "" for none.
        start_time: In UTC, as all times.
        number: Position in the order in which jobs were queued, assigned by the queue; ignored when jobs are compared.
    """

    job_id: str
    spec: JobSpec
    create_time: datetime
    request_id: str = ""
    state: JobState = JobState.QUEUED
    attempts: int = 0
    progress: Progress | None = None
    counts: Counts = field(default_factory=Counts)
    snapshot_id: str = ""
    unchanged: bool = False
    provisional: bool = False
    error: str = ""
    error_reason: str = ""
    superseded_by: str = ""
    start_time: datetime | None = None
    end_time: datetime | None = None
    number: int = field(default=0, compare=False)

    def started(self, now: datetime) -> Job:
        """Return the job as running, with one more attempt."""
        return dataclasses.replace(self, state=JobState.RUNNING, attempts=self.attempts + 1, start_time=now)

    def after(self, event: WorkEvent) -> Job:
        """
        Return the job after an event of its worker.

        `unchanged` is decided when the core is published; events of later layers do not alter it. A job that runs again
        after an interruption finds the core that it published itself; this does not make the source unchanged.
        """
        if isinstance(event, Progressed):
            return dataclasses.replace(self, progress=event.progress, counts=event.counts)
        core_unchanged = event.unchanged and (self.unchanged or not self.snapshot_id)
        return dataclasses.replace(
            self,
            state=JobState.RUNNING if event.provisional else JobState.ENRICHING,
            counts=event.counts,
            snapshot_id=event.snapshot_id,
            unchanged=self.unchanged if self.state == JobState.ENRICHING else core_unchanged,
            provisional=event.provisional,
        )

    def interrupted(self, now: datetime) -> Job:
        """Return the job after its worker was interrupted: queued again, or failed after `MAX_ATTEMPTS` attempts."""
        if self.attempts < MAX_ATTEMPTS:
            return dataclasses.replace(self, state=JobState.QUEUED, progress=None)
        return self.failed(now, f"interrupted {self.attempts} times; start it again")

    def put_back(self) -> Job:
        """Return the job as queued again, after the job that superseded it failed; this attempt does not count."""
        return dataclasses.replace(self, state=JobState.QUEUED, progress=None, attempts=self.attempts - 1)

    def superseded(self, by: str, now: datetime) -> Job:
        """Return the job as done: its core was published, and a later job makes the other layers."""
        return dataclasses.replace(self, superseded_by=by).ended(JobState.SUCCEEDED, now)

    def ended(self, state: JobState, now: datetime) -> Job:
        """Return the job in a final state; a job that is final already stays as it is."""
        if self.state.final:
            return self
        return dataclasses.replace(self, state=state, end_time=now)

    def failed(self, now: datetime, error: str, reason: str = _INTERNAL) -> Job:
        """Return the job as failed; a job that is final already stays as it is."""
        if self.state.final:
            return self
        return dataclasses.replace(self, error=error, error_reason=reason).ended(JobState.FAILED, now)


@dataclass(frozen=True, slots=True)
class JobQuery:
    """
    Filter and page of a list of jobs.

    Args:
        repository: "" for all.
        states: Empty for all.
        limit: Greatest number of jobs; the default is more than any queue is expected to hold.
        before: Only jobs that were queued before the job with this `number`; 0 for the first page.
    """

    repository: str = ""
    states: tuple[JobState, ...] = ()
    limit: int = 1000
    before: int = 0
