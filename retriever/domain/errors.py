"""Errors of the retriever about repositories, snapshots, spans and tasks; their texts say what to do next."""

from __future__ import annotations

from common.core.errors import AppError, Kind


class RepositoryNotFound(AppError):
    """The repository is not known."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_REPOSITORY_NOT_FOUND"

    @classmethod
    def of(cls, repository: str) -> RepositoryNotFound:
        """Return the error for a repository."""
        text = f"no repository {repository!r}; index it first, or list what there is with ListRepositories"
        return cls(text, metadata={"repository": repository})


class IndexNotReady(AppError):
    """The repository has no published snapshot yet."""

    kind = Kind.NOT_READY
    reason = "ERROR_REASON_INDEX_NOT_READY"

    @classmethod
    def of(cls, repository: str) -> IndexNotReady:
        """Return the error for a repository."""
        text = f"repository {repository!r} has no published snapshot yet; wait for its index job and ask again"
        return cls(text, metadata={"repository": repository})


class SnapshotNotFound(AppError):
    """The snapshot is gone or was never published."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_SNAPSHOT_NOT_FOUND"

    @classmethod
    def of(cls, repository: str, snapshot_id: str) -> SnapshotNotFound:
        """Return the error for a snapshot."""
        text = f"repository {repository!r} has no snapshot {snapshot_id!r}; leave it empty to read the current one"
        return cls(text, metadata={"repository": repository, "snapshot_id": snapshot_id})


class SnapshotDamaged(AppError):
    """The snapshot's files are not what was published, and no earlier one can serve."""

    kind = Kind.DATA_LOSS
    reason = "ERROR_REASON_SNAPSHOT_DAMAGED"

    @classmethod
    def of(cls, repository: str, snapshot_id: str, problem: str) -> SnapshotDamaged:
        """Return the error for a snapshot, with what is wrong with it."""
        text = f"snapshot {snapshot_id!r} of {repository!r} is damaged ({problem}); index the repository again"
        return cls(text, metadata={"repository": repository, "snapshot_id": snapshot_id})


class SnapshotUnsupported(AppError):
    """The snapshot was written in a format that this reader does not know."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_SNAPSHOT_UNSUPPORTED"

    @classmethod
    def of(cls, repository: str, snapshot_id: str, version: object) -> SnapshotUnsupported:
        """Return the error for a snapshot, with its schema version."""
        text = (
            f"snapshot {snapshot_id!r} of {repository!r} has schema version {version}, which this reader does not know;"
            " index the repository again or update the service"
        )
        return cls(text, metadata={"repository": repository, "snapshot_id": snapshot_id})


class StorageFull(AppError):
    """The disk of a store is full; what was kept can still be read."""

    kind = Kind.OVERLOADED
    reason = "ERROR_REASON_STORAGE_FULL"


class CacheFull(StorageFull):
    """A snapshot cannot be fetched because the cache is full."""

    @classmethod
    def of(cls, repository: str, needed: int, most: int) -> CacheFull:
        """Return the error; with the snapshot the cache would take `needed` bytes, and it may take `most`."""
        text = (
            f"the snapshot of {repository!r} takes the retriever's cache to {needed >> 20} MiB, and it may hold"
            f" {most >> 20}; raise snapshot_cache_mb, or ask again when others have not been read for a while"
        )
        return cls(text, metadata={"repository": repository})

    @classmethod
    def disk(cls, repository: str) -> CacheFull:
        """Return the error for a disk with less space than the cache may use."""
        text = f"the retriever's disk is full, the snapshot of {repository!r} was not fetched; lower snapshot_cache_mb"
        return cls(text, metadata={"repository": repository})


class SpanNotFound(AppError):
    """A span or symbol is not in the snapshot."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_SPAN_NOT_FOUND"


class RetrievalNotFound(AppError):
    """No retrieval or task of that id was logged, or its log is past retention."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_TASK_NOT_FOUND"


class TaskNotFound(AppError):
    """No task of that id is kept."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_TASK_NOT_FOUND"

    @classmethod
    def of(cls, repository: str, task_id: str) -> TaskNotFound:
        """Return the error for a task."""
        text = f"no task {task_id!r} in {repository!r}; build its context first, tasks are kept for a limited time"
        return cls(text, metadata={"repository": repository, "task_id": task_id})


class TaskIdReused(AppError):
    """The task id was used for another request."""

    kind = Kind.CONFLICT
    reason = "ERROR_REASON_REQUEST_ID_REUSED"

    @classmethod
    def of(cls, task_id: str) -> TaskIdReused:
        """Return the error for a task."""
        text = f"task {task_id!r} was built from another request; leave task_id empty, or refine the task"
        return cls(text, metadata={"task_id": task_id})
