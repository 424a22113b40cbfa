"""Converts errors to gRPC statuses and back, by one table."""

from __future__ import annotations

import functools
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from common.core import errors
from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable, Kind, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from google.protobuf.message import Message

DOMAIN = "cgrag"
DETAILS_KEY = "grpc-status-details-bin"
# Limits that keep trailing metadata below 8 kB: gRPC replaces a status with more. The message is sent twice, once
# percent-encoded, which may triple it; base64 makes the details a third longer.
_MESSAGE_BYTES = 900
_VIOLATIONS_BYTES = 1500
_VIOLATION_BYTES = 300
_METADATA_BYTES = 600
_CUT = "..."
# A year; another service may send any number, and the contract's durations are bounded.
_LONGEST_WAIT_SECONDS = 366 * 86_400

CODES = MappingProxyType(
    {
        Kind.INVALID: grpc.StatusCode.INVALID_ARGUMENT,
        Kind.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
        Kind.NOT_READY: grpc.StatusCode.FAILED_PRECONDITION,
        Kind.PRECONDITION: grpc.StatusCode.FAILED_PRECONDITION,
        Kind.CONFLICT: grpc.StatusCode.ALREADY_EXISTS,
        Kind.OVERLOADED: grpc.StatusCode.RESOURCE_EXHAUSTED,
        Kind.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
        Kind.DENIED: grpc.StatusCode.PERMISSION_DENIED,
        Kind.DEADLINE: grpc.StatusCode.DEADLINE_EXCEEDED,
        Kind.CANCELLED: grpc.StatusCode.CANCELLED,
        Kind.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
        Kind.UNIMPLEMENTED: grpc.StatusCode.UNIMPLEMENTED,
        Kind.DATA_LOSS: grpc.StatusCode.DATA_LOSS,
        Kind.INTERNAL: grpc.StatusCode.INTERNAL,
    }
)
# If two kinds share a code, the code is converted back to the last of them, which asks less of a caller.
_KINDS = {code: kind for kind, code in CODES.items()}
_CLASSES = {
    each.reason: each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, AppError) and each is not AppError
}


@dataclass(frozen=True, slots=True)
class Status:
    """The gRPC status of a failed call: code, message, and the details as a serialized google.rpc.Status."""

    code: grpc.StatusCode
    message: str
    details: bytes

    def metadata(self) -> tuple[tuple[str, bytes], ...]:
        """Return the trailing metadata that carries the details."""
        return ((DETAILS_KEY, self.details),)


def status_from_error(error: AppError) -> Status:
    """
    Return the gRPC status code of an error, with an ErrorInfo, a BadRequest for violations, a RetryInfo for a wait.

    Texts that would not fit into the metadata of a call are cut; of very many violations only the first ones are sent,
    and the message has the number of the others.
    """
    details: list[Message] = [_info(error)]
    message = _cut(error.message, _MESSAGE_BYTES)
    if error.violations:
        wrong = _bad_request(error.violations)
        details.append(wrong)
        if left_out := len(error.violations) - len(wrong.field_violations):
            message = f"{message} ({left_out} more fields are wrong)"
    if error.retry_after_seconds is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(int(min(error.retry_after_seconds, _LONGEST_WAIT_SECONDS) * 1e9))
        details.append(retry)
    code = CODES[error.kind]
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in details:
        status.details.append(_packed(detail))
    return Status(code, message, status.SerializeToString())


def errors_from_status(error: grpc.aio.AioRpcError, *, dependency: str) -> AppError:
    """
    Rebuild the error that another service answered with.

    A status without an ErrorInfo of ours was made by the transport: it becomes DeadlineExceeded for a deadline and
    DependencyUnavailable for all else.

    Args:
        error: What the stub raised.
        dependency: Name of the service called, for the message.
    """
    status = _read_details(error.trailing_metadata() or ())
    if status is None:
        return _of_transport(error, dependency)
    info = error_details_pb2.ErrorInfo()
    bad_request = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    for detail in status.details:
        for message in (info, bad_request, retry):
            if detail.Is(message.DESCRIPTOR):
                detail.Unpack(message)
    if info.domain != DOMAIN:
        return _of_transport(error, dependency)
    has_wait = any(detail.Is(retry.DESCRIPTOR) for detail in status.details)
    return _class_of(info.reason, _KINDS.get(error.code(), Kind.INTERNAL))(
        status.message,
        metadata=dict(info.metadata),
        violations=[Violation(each.field, each.description) for each in bad_request.field_violations],
        retry_after_seconds=retry.retry_delay.ToNanoseconds() / 1e9 if has_wait else None,
    )


def _of_transport(error: grpc.aio.AioRpcError, dependency: str) -> AppError:
    code = error.code()
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return DeadlineExceeded(f"the {dependency} did not answer in time; allow a longer deadline")
    # CANCELLED, too: a call that is cancelled on this side raises no status, so it came from a server that stops.
    text = f"the {dependency} does not answer ({code.name}); check that it runs and is ready"
    return DependencyUnavailable(text, metadata={"dependency": dependency, "code": code.name})


@functools.cache
def _class_of(reason: str, kind: Kind) -> type[AppError]:
    known = _CLASSES.get(reason)
    if known is not None and known.kind is kind:
        return known
    # Reasons are a closed enum of the contract, so the cache stays small; an unknown one is of a newer peer.
    return type("RemoteError", (AppError,), {"kind": kind, "reason": reason, "__doc__": AppError.__doc__})


def _info(error: AppError) -> error_details_pb2.ErrorInfo:
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN)
    share = _METADATA_BYTES // max(1, len(error.metadata))
    for key, value in error.metadata.items():
        info.metadata[key] = _cut(value, share)
    return info


def _bad_request(violations: Sequence[Violation]) -> error_details_pb2.BadRequest:
    told = error_details_pb2.BadRequest()
    for violation in violations:
        field, description = (_cut(text, _VIOLATION_BYTES) for text in (violation.field, violation.description))
        told.field_violations.add(field=field, description=description)
        if told.ByteSize() > _VIOLATIONS_BYTES:
            break
    return told


def _cut(text: str, most_bytes: int) -> str:
    shown = _shown(text[: most_bytes + 1])
    data = shown.encode()
    return shown if len(data) <= most_bytes else data[: most_bytes - len(_CUT)].decode(errors="ignore") + _CUT


def _shown(text: str) -> str:
    r"""
    Return a text with characters that are not printable escaped: `\n`, `\x1b`, `\u202e`, `\udcff`.

    Errors quote names and ids as received, and are shown on terminals and in logs with one line for each. A lone
    surrogate, as in file names that are not UTF-8, could not be sent at all.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or unicodedata.category(each) == "Zs" else each.encode("unicode_escape").decode()
        for each in text
    )


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _read_details(metadata: Iterable[tuple[str, str | bytes]]) -> status_pb2.Status | None:
    for key, value in metadata:
        if key == DETAILS_KEY and isinstance(value, bytes):
            with suppress(DecodeError):
                return status_pb2.Status.FromString(value)
    return None
