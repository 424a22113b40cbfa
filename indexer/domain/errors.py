"""Errors of the indexer."""

from __future__ import annotations

from common.core.errors import AppError, DeadlineExceeded, InvalidArgument, Kind, PermissionDenied, Violation


class RepositoryNotFound(AppError):
    """No repository of that name, or none that the caller may see."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_REPOSITORY_NOT_FOUND"

    @classmethod
    def of(cls, repository: str) -> RepositoryNotFound:
        """Name the repository."""
        return cls(f"No repository {repository!r}; index it first.", metadata={"repository": repository})


class RepositoryDenied(PermissionDenied):
    """The caller may not index under that name, whether or not a repository of that name exists."""

    @classmethod
    def of(cls, repository: str) -> RepositoryDenied:
        """Name the repository."""
        return cls(f"You may not index under the name {repository!r}.", metadata={"repository": repository})


class IndexNotReady(AppError):
    """The repository has no published snapshot yet."""

    kind = Kind.NOT_READY
    reason = "ERROR_REASON_INDEX_NOT_READY"


class SnapshotUnknown(IndexNotReady):
    """The published snapshot of the repository is damaged, or of a format that this version does not read."""

    @classmethod
    def of(cls, repository: str) -> SnapshotUnknown:
        """Name the repository."""
        text = f"The current snapshot of {repository!r} cannot be read: it is damaged, or of a later release."
        return cls(f"{text} Index it again, or go back to another one.", metadata={"repository": repository})


class SnapshotNotFound(AppError):
    """No snapshot of that id in the repository."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_SNAPSHOT_NOT_FOUND"


class JobNotFound(AppError):
    """No job of that id."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_JOB_NOT_FOUND"


class ImportNotFound(AppError):
    """No import of that id in the repository."""

    kind = Kind.NOT_FOUND
    reason = "ERROR_REASON_IMPORT_NOT_FOUND"


class SourceUnavailable(AppError):
    """The source cannot be read."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_SOURCE_UNAVAILABLE"


class SourceRefused(AppError):
    """The source is refused for safety."""

    kind = Kind.INVALID
    reason = "ERROR_REASON_SOURCE_REFUSED"


class StorageFull(AppError):
    """The disk is full; the published snapshot is still served."""

    kind = Kind.OVERLOADED
    reason = "ERROR_REASON_STORAGE_FULL"


class StorageRefused(AppError):
    """The data folder cannot be written; the published snapshot is still served."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_FAILED_PRECONDITION"


class RequestIdReused(AppError):
    """The request id was used before for another request."""

    kind = Kind.CONFLICT
    reason = "ERROR_REASON_REQUEST_ID_REUSED"


class StateForbids(AppError):
    """A state of the resource forbids the action."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_FAILED_PRECONDITION"

    @classmethod
    def overtaken(cls, repository: str) -> StateForbids:
        """Return the error for an import during which the repository got a new core layer."""
        return cls(
            f"{repository!r} was indexed anew during the import; import again.", metadata={"repository": repository}
        )


class JobFailed(AppError):
    """
    A worker ended with an error; the message says why.

    Args:
        worker_reason: Name of the worker's error in `cgrag.type.v1.ErrorReason`.
    """

    def __init__(self, message: str, worker_reason: str = AppError.reason) -> None:
        super().__init__(message)
        self.worker_reason = worker_reason


class JobTimedOut(DeadlineExceeded):
    """A job took longer than it may."""

    @classmethod
    def after(cls, seconds: float, *, published: bool) -> JobTimedOut:
        """Return the error with what remains published and the setting to raise."""
        stays = "its snapshot serves without the layers that were missing" if published else "what was published stays"
        return cls(f"took longer than {seconds:g} seconds; {stays}. Raise the setting job_seconds of the indexer.")


class IndexMalformed(InvalidArgument):
    """An imported file is not an index in the SCIP format."""

    @classmethod
    def at(cls, problem: str) -> IndexMalformed:
        """Return the error for a problem of the file."""
        text = f"is no SCIP index: {problem}; make it anew with the indexer of the language"
        return cls(f"The file {text}.", violations=[Violation("chunk", text)])


class ImportFailed(AppError):
    """An import exceeded one of its limits; the message says which."""

    kind = Kind.PRECONDITION
    reason = "ERROR_REASON_FAILED_PRECONDITION"


class AnalyzerFailed(AppError):
    """An analyzer failed; the message says why."""


class CoreDamaged(AppError):
    """A published core layer is damaged; its readers continue without it."""

    kind = Kind.DATA_LOSS
    reason = "ERROR_REASON_SNAPSHOT_DAMAGED"


class LayerDamaged(AppError):
    """A layer over a published core is damaged."""

    kind = Kind.DATA_LOSS
    reason = "ERROR_REASON_SNAPSHOT_DAMAGED"
