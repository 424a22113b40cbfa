"""Errors as facts, free of transport. Each carries a kind, a reason of the public contract and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Kind(Enum):
    """Kind of an error, by what a caller can do about it; `common.rpc.status` maps each kind to one gRPC code."""

    INVALID = auto()
    NOT_FOUND = auto()
    NOT_READY = auto()
    PRECONDITION = auto()
    CONFLICT = auto()
    OVERLOADED = auto()
    UNAUTHENTICATED = auto()
    DENIED = auto()
    DEADLINE = auto()
    CANCELLED = auto()
    UNAVAILABLE = auto()
    UNIMPLEMENTED = auto()
    DATA_LOSS = auto()
    INTERNAL = auto()


@dataclass(frozen=True, slots=True)
class Violation:
    """One invalid field of a request, and how to correct it."""

    field: str
    description: str


class AppError(Exception):
    """
    The base of all errors that are reported to a caller.

    Subclasses set `kind` and `reason` (a name of `cgrag.type.v1.ErrorReason`).

    Args:
        message: For a person: names the thing, the reason and the next step. Neither secrets nor paths of the machine.
        metadata: Names of the things concerned, for programs.
        violations: Fields at fault, for `Kind.INVALID`.
        retry_after_seconds: When another try makes sense, for `Kind.OVERLOADED`.
    """

    kind: ClassVar[Kind] = Kind.INTERNAL
    reason: ClassVar[str] = "ERROR_REASON_INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        metadata: Mapping[str, str] = MappingProxyType({}),
        violations: Sequence[Violation] = (),
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.metadata = dict(metadata)
        self.violations = tuple(violations)
        self.retry_after_seconds = retry_after_seconds


class InvalidArgument(AppError):
    """Fields of the request are wrong; every one of them is named."""

    kind = Kind.INVALID
    reason = "ERROR_REASON_INVALID_ARGUMENT"

    @classmethod
    def of(cls, violations: Sequence[Violation]) -> InvalidArgument:
        """Make one error out of all violations; there must be at least one."""
        text = "; ".join(f"{violation.field}: {violation.description}" for violation in violations)
        return cls(text, violations=violations)


class PageTokenInvalid(AppError):
    """The page token was not made for this request."""

    kind = Kind.INVALID
    reason = "ERROR_REASON_PAGE_TOKEN_INVALID"


class Overloaded(AppError):
    """The service is overloaded; try again after `retry_after_seconds`."""

    kind = Kind.OVERLOADED
    reason = "ERROR_REASON_OVERLOADED"


class QuotaExceeded(AppError):
    """The caller has used up a quota; try again after `retry_after_seconds`."""

    kind = Kind.OVERLOADED
    reason = "ERROR_REASON_QUOTA_EXCEEDED"


class Unauthenticated(AppError):
    """The call has no valid credential."""

    kind = Kind.UNAUTHENTICATED
    reason = "ERROR_REASON_UNAUTHENTICATED"


class PermissionDenied(AppError):
    """The caller may not do this."""

    kind = Kind.DENIED
    reason = "ERROR_REASON_PERMISSION_DENIED"


class DeadlineExceeded(AppError):
    """The time allowed for the work is over."""

    kind = Kind.DEADLINE
    reason = "ERROR_REASON_DEADLINE_EXCEEDED"


class Cancelled(AppError):
    """The owner of the work cancelled it."""

    kind = Kind.CANCELLED
    reason = "ERROR_REASON_CANCELLED"


class DependencyUnavailable(AppError):
    """A service or store that this work needs does not answer."""

    kind = Kind.UNAVAILABLE
    reason = "ERROR_REASON_DEPENDENCY_UNAVAILABLE"


class ShuttingDown(AppError):
    """The service is draining and takes no new work."""

    kind = Kind.UNAVAILABLE
    reason = "ERROR_REASON_SHUTTING_DOWN"


class Unimplemented(AppError):
    """The contract has this call and the service does not serve it yet."""

    kind = Kind.UNIMPLEMENTED
    reason = "ERROR_REASON_UNIMPLEMENTED"


class ModelUnavailable(AppError):
    """A model endpoint refused or failed."""

    kind = Kind.UNAVAILABLE
    reason = "ERROR_REASON_MODEL_UNAVAILABLE"


class StartupError(Exception):
    """A process cannot start; the message is one line that names the thing, the setting and what to do next."""
