"""Authenticates callers by another service's proof, a bearer token, or the certificate of the connection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from common.core.errors import Unauthenticated
from common.rpc import callers
from common.rpc.access.file import Callers, Entry, Quotas
from common.rpc.access.patterns import Patterns
from common.rpc.access.proofs import Signer, Verifier
from common.rpc.access.rights import Rights, Role
from common.rpc.callers import Caller

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from common.core.clock import Clock
    from common.rpc.access.watching import WatchedFile
    from common.rpc.client.calls import Call

_AUTHORIZATION = "authorization"
_CERTIFICATE_NAMES = ("x509_subject_alternative_name", "x509_common_name")
_NOBODY = Callers()


class NoCredential(Unauthenticated):
    """The call carries no credential."""


class Identities:
    """
    Authenticates callers.

    Args:
        known: The access file; without it no caller is known, so that every call needs a proof.
        keys: Keys of proofs; without them proofs are neither accepted nor made.
        audiences: Full names of the contracts that are served here.
        clock: Gives the dates of proofs.
    """

    def __init__(
        self,
        known: WatchedFile[Callers] | None,
        keys: WatchedFile[tuple[bytes, ...]] | None,
        audiences: Collection[str],
        clock: Clock,
    ) -> None:
        self._known = known
        self._keys = keys
        self._signer = Signer(self._keys_now, self._named, clock)
        self._verifier = Verifier(self._keys_now, audiences, clock)

    def of(self, call: Call) -> tuple[Caller, Entry | None]:
        """
        Return the caller, and its entry in the access file; None if another service vouches for it.

        Raises:
            NoCredential: if the call has no credential.
            Unauthenticated: if the credential is not valid.
        """
        proof = _only(call, callers.PROOF_KEY)
        if proof:
            return self._proven(proof), None
        entry = self._entry(_only(call, _AUTHORIZATION), call.context)
        vouch = partial(self._signer.proof, entry.name) if self._keys is not None else None
        return Caller(entry.name, entry.rights, vouch), entry

    def service(self, name: str) -> Caller:
        """Return the caller for a service that calls on its own behalf: a reader of all repositories."""
        entry = Entry(name, Rights(frozenset({Role.READER}), Patterns(("*",))), Quotas())
        return Caller(name, entry.rights, partial(self._signer.proof_of, entry))

    async def look(self) -> None:
        """Reload the files if they changed; checked at most once a second."""
        for each in (self._known, self._keys):
            if each is not None and each.is_due:
                await each.look()

    def _proven(self, proof: str) -> Caller:
        if self._keys is None:
            raise Unauthenticated("this service takes no proofs of identity; set identity_key_file")
        found = self._verifier.read(proof)
        return Caller(found.name, found.rights)

    def _entry(self, authorization: str, context: Any) -> Entry:
        known = self._known.content if self._known is not None else _NOBODY
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and token:
            entry = known.with_token(token.strip())
            if entry is None:
                raise Unauthenticated(
                    "the token is unknown; check CGRAG_TOKEN, or ask an administrator of the access file"
                )
            return entry
        names = _certificate_names(context)
        entry = known.with_certificate(names)
        if entry is not None:
            return entry
        if names:
            raise Unauthenticated("the certificate is unknown; ask the administrator of the access file")
        raise NoCredential("no credential came with the call; set CGRAG_TOKEN to your token")

    def _keys_now(self) -> Sequence[bytes]:
        return self._keys.content if self._keys is not None else ()

    def _named(self, name: str) -> Entry | None:
        return self._known.content.named(name) if self._known is not None else None


def _only(call: Call, key: str) -> str:
    """Return the only value of a metadata key, "" for none; two values could name two callers."""
    given = call.texts(key)
    if len(given) > 1:
        raise Unauthenticated(f"{len(given)} values of {key} came with the call; send one")
    return given[0] if given else ""


def _certificate_names(context: Any) -> tuple[str, ...]:
    """Return the names in the certificate that the caller has shown and the server has checked; none in the clear."""
    found = context.auth_context()
    return tuple(value.decode(errors="replace") for key in _CERTIFICATE_NAMES for value in found.get(key, ()))
