"""Typed errors of calls, with the error reason that the API defines, and the next step to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

if TYPE_CHECKING:
    from collections.abc import Mapping

DOMAIN = "cgrag"

_NEXT_STEPS = {
    "ERROR_REASON_REPOSITORY_NOT_FOUND": "`cgrag repos` lists what is indexed; `cgrag index PATH_OR_URL` adds one",
    "ERROR_REASON_INDEX_NOT_READY": "wait for its job (`cgrag status` shows it), then ask again",
    "ERROR_REASON_SNAPSHOT_NOT_FOUND": "ask without a snapshot to read the current one",
    "ERROR_REASON_SNAPSHOT_DAMAGED": "index the repository again: `cgrag index PATH_OR_URL`",
    "ERROR_REASON_SNAPSHOT_UNSUPPORTED": "index the repository again with this version",
    "ERROR_REASON_JOB_NOT_FOUND": "`cgrag jobs list` shows those that are kept",
    "ERROR_REASON_IMPORT_NOT_FOUND": "`cgrag precise list` shows the imports that there are",
    "ERROR_REASON_SOURCE_UNAVAILABLE": "check the path or URL; the indexer must be able to read it on its own machine",
    "ERROR_REASON_SOURCE_REFUSED": (
        "use an https or ssh URL, or a folder below the indexer's allowed roots: with `cgrag up` your home,"
        " the folder that it was started in, and that of temporary files"
    ),
    "ERROR_REASON_SESSION_NOT_FOUND": "ask without a session to open a new one; `cgrag sessions` lists yours",
    "ERROR_REASON_ANSWER_NOT_FOUND": "ask the question again",
    "ERROR_REASON_TASK_NOT_FOUND": "build it with `cgrag context TASK`; tasks are kept for a limited time",
    "ERROR_REASON_UNAUTHENTICATED": "set CGRAG_TOKEN to a token that the service knows",
    "ERROR_REASON_PERMISSION_DENIED": "ask the service's operator for the role",
    "ERROR_REASON_STORAGE_FULL": "free space in the data folder; what was published still serves",
    "ERROR_REASON_DEPENDENCY_UNAVAILABLE": "`cgrag status` shows which service is down",
    "ERROR_REASON_MODEL_UNAVAILABLE": "check the model's key and address, or use the embedded engine",
    "ERROR_REASON_DEADLINE_EXCEEDED": "give it more time with --timeout, or fewer passes",
    "ERROR_REASON_UNIMPLEMENTED": "bring client and services to one version",
    "ERROR_REASON_QUOTA_EXCEEDED": "try again later, or ask the service's operator for more",
    "ERROR_REASON_INTERNAL": "the service's log has the cause under the request id",
    "ERROR_REASON_SHUTTING_DOWN": "try again in a moment",
}

_REASON_BY_CODE = {
    grpc.StatusCode.UNAVAILABLE: "ERROR_REASON_DEPENDENCY_UNAVAILABLE",
    grpc.StatusCode.DEADLINE_EXCEEDED: "ERROR_REASON_DEADLINE_EXCEEDED",
    grpc.StatusCode.CANCELLED: "ERROR_REASON_DEPENDENCY_UNAVAILABLE",
    grpc.StatusCode.UNIMPLEMENTED: "ERROR_REASON_UNIMPLEMENTED",
    # If the error has no reason of a service, gRPC itself refused a message that is too large.
    grpc.StatusCode.RESOURCE_EXHAUSTED: "ERROR_REASON_INVALID_ARGUMENT",
}


_HANGS = "it takes connections and says nothing; it hangs, or has too much to do"
_UNREACHABLE = (
    ("Connection refused", "nothing listens there", False),
    ("before receiving SETTINGS frame", _HANGS, True),
    ("ping timeout", _HANGS, True),
    ("keepalive", _HANGS, True),
)


class UsageError(Exception):
    """The command, its arguments or its settings are wrong; the message says how to mend it."""


class NothingThere(UsageError):
    """The named resource does not exist; the message says how to list those that do."""


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """A field of the request that is wrong, and why."""

    field: str
    description: str


class ClientError(Exception):
    """
    A call that failed, rebuilt from its status.

    Attributes:
        code: gRPC status code.
        reason: Name in `cgrag.type.v1.ErrorReason`; derived from the code if the answering server gave none.
        message: For a person.
        next_step: What to do about it; may be empty.
        metadata: Names of the resources concerned, such as the repository.
        violations: The invalid fields of the request.
        retry_after_seconds: Time to wait before another attempt; None if the service did not say.
        request_id: Id of the call in the logs of the services; empty if unknown.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        *,
        metadata: Mapping[str, str] | None = None,
        violations: tuple[FieldViolation, ...] = (),
        retry_after_seconds: float | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.next_step = _NEXT_STEPS.get(reason, "")
        self.metadata = dict(metadata or {})
        self.violations = violations
        self.retry_after_seconds = retry_after_seconds
        self.request_id = request_id


class ServiceUnreachable(ClientError):
    """No service answers at the address; `hangs` if connections are accepted but not answered."""

    def __init__(
        self, code: grpc.StatusCode, reason: str, message: str, *, hangs: bool = False, request_id: str = ""
    ) -> None:
        super().__init__(code, reason, message, request_id=request_id)
        self.next_step = (
            "try again in a moment; if that does not help, look at its log, and start it anew"
            " (`cgrag down`, `cgrag up`)"
            if hangs
            else "start the services with `cgrag up`, name another address (CGRAG_CLIENT_ORCHESTRATOR, ...), or set"
            " CGRAG_CLIENT_CA_FILE if they talk TLS"
        )


def from_rpc_error(error: grpc.aio.AioRpcError, *, target: str = "", request_id: str = "") -> ClientError:
    """
    Rebuild the error of a failed call from its status and details.

    Args:
        error: As raised by a stub.
        target: Address that was called, for the message when nobody answers there.
        request_id: Under which the call was made.
    """
    info, violations, retry_after = _details(error)
    if info is not None:
        metadata = dict(info.metadata)
        return ClientError(
            error.code(),
            info.reason,
            error.details() or info.reason,
            metadata=metadata,
            violations=violations,
            retry_after_seconds=retry_after,
            request_id=request_id,
        )
    reason = _REASON_BY_CODE.get(error.code(), "ERROR_REASON_INTERNAL")
    # A call that this client cancels raises no RpcError: CANCELLED without a reason comes from a server that stops.
    if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        why, hangs = _why_unreachable(error.details() or "")
        text = f"nobody answers at {target or 'the address'}{why}"
        return ServiceUnreachable(grpc.StatusCode.UNAVAILABLE, reason, text, hangs=hangs, request_id=request_id)
    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
        text = f"what listens at {target or 'the address'} does not know this call: another service, or an older one"
        return ClientError(error.code(), reason, text, request_id=request_id)
    if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
        text = f"what was sent is too large: {error.details()}; send less"
        return ClientError(grpc.StatusCode.INVALID_ARGUMENT, reason, text, request_id=request_id)
    return ClientError(error.code(), reason, error.details() or error.code().name, request_id=request_id)


def _why_unreachable(details: str) -> tuple[str, bool]:
    """Return the meaning of gRPC's message for a lost connection, if known, and whether the peer hangs."""
    for words, meaning, hangs in _UNREACHABLE:
        if words in details:
            return f": {meaning}", hangs
    return "", False


def _details(
    error: grpc.aio.AioRpcError,
) -> tuple[error_details_pb2.ErrorInfo | None, tuple[FieldViolation, ...], float | None]:
    status = rpc_status.from_call(error)
    info: error_details_pb2.ErrorInfo | None = None
    violations: list[FieldViolation] = []
    retry_after: float | None = None
    for detail in status.details if status is not None else ():
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            found = error_details_pb2.ErrorInfo()
            detail.Unpack(found)
            info = found if found.domain == DOMAIN else info
        elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            bad = error_details_pb2.BadRequest()
            detail.Unpack(bad)
            violations += [FieldViolation(each.field, each.description) for each in bad.field_violations]
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = error_details_pb2.RetryInfo()
            detail.Unpack(retry)
            retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
    return info, tuple(violations), retry_after
