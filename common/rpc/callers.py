"""Caller and request id of the current call, available to all code that runs for it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from common.core.errors import InvalidArgument, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from common.rpc.access.rights import Rights

REQUEST_ID_KEY = "x-request-id"
CALLER_KEY = "x-cgrag-caller"
PROOF_KEY = "x-cgrag-identity"
REDACT_KEY = "x-cgrag-redact"
REDACT = "1"
LOCAL = "local"

_MAX_ID_LENGTH = 128


@dataclass(frozen=True, slots=True)
class Caller:
    """
    An identity: a person, a team or a program. Sessions, quotas and visibility belong to it.

    Args:
        rights: What the caller may do; None is everything, without access control.
        vouch: Returns a proof of this identity for a contract's full name, for calls on its behalf; None for no proofs.
        connection: Address of the caller, without access control, where many callers may have one name; else empty.
    """

    name: str
    rights: Rights | None = None
    vouch: Callable[[str], str] | None = field(default=None, repr=False, compare=False)
    connection: str = field(default="", repr=False, compare=False)

    @property
    def share(self) -> str:
        """Return the key by which shared capacity is divided: the caller's name, with the connection if known."""
        return f"{self.name} {self.connection}"


def named_caller(metadata: Mapping[str, str], connection: str = "") -> Caller:
    """
    Return the caller that the metadata names, without proof, else the user "local": for trusted networks only.

    Raises InvalidArgument for a malformed name: callers with such names must not all count as one user.
    """
    name = metadata.get(CALLER_KEY, "")
    if name and not is_plain_id(name):
        raise InvalidArgument.of([Violation(CALLER_KEY, "must be 1 to 128 of letters, digits and -_.:@/")])
    return Caller(name or LOCAL, connection=connection)


_caller: ContextVar[Caller] = ContextVar("cgrag_caller", default=Caller(LOCAL))  # noqa: B039 (frozen)
_request_id: ContextVar[str] = ContextVar("cgrag_request_id", default="")


_redacted: ContextVar[bool] = ContextVar("cgrag_redacted", default=False)


def current_caller() -> Caller:
    """Return who made the call that is being served; the local user outside of calls."""
    return _caller.get()


def current_request_id() -> str:
    """Return the id of the call that is being served; empty outside of calls."""
    return _request_id.get()


def is_redacted() -> bool:
    """Return whether secrets are redacted from the response of the call that is being served."""
    return _redacted.get()


def set_redacted() -> None:
    """Have secrets redacted from the response, for the rest of this task."""
    _redacted.set(True)


def set_caller(caller: Caller) -> None:
    """Set the caller for the rest of this task."""
    _caller.set(caller)


def set_request_id(request_id: str) -> None:
    """Set the request id for the rest of this task."""
    _request_id.set(request_id)


def is_plain_id(text: str) -> bool:
    """Return whether a text may go into logs and metadata as it is: 1 to 128 of letters, digits, `-_.:@/`."""
    plain = text.isascii() and all(letter.isalnum() or letter in "-_.:@/" for letter in text)
    return 0 < len(text) <= _MAX_ID_LENGTH and plain
