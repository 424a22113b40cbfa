"""
Proofs of identity: a service sends one with each call that it makes on behalf of its caller.

A proof is a claim in JSON and an HMAC-SHA256 over it, under a key that the services share. It is valid for one audience
(the full name of the called contract) and for one minute, so that revoked rights end in all services soon.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.errors import Unauthenticated
from common.core.settings import SettingsError
from common.rpc.access.patterns import Patterns
from common.rpc.access.rights import Rights, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from common.core.clock import Clock
    from common.rpc.access.file import Entry

LIFETIME_SECONDS = 60.0
LEEWAY_SECONDS = 30.0
"""How far the clocks of two services may differ."""
MAX_KEYS = 2
_KEY = re.compile(r"[!-~]{32,500}")
_CONTEXT = b"cgrag identity 1\0"
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Proven:
    """The caller that a proof names."""

    name: str
    rights: Rights


def read_keys(content: bytes) -> tuple[bytes, ...]:
    """
    Read a file of keys, one a line: the first key signs, proofs under any of them are accepted.

    Raises:
        SettingsError: if there are no keys or more than two, or one is not 32 to 500 visible ASCII characters.
    """
    lines = [line.strip() for line in content.decode(errors="replace").splitlines() if line.strip()]
    if not 1 <= len(lines) <= MAX_KEYS:
        raise SettingsError([f"must hold one key a line, 1 or {MAX_KEYS} of them, not {len(lines)}"])
    wrong = [number for number, line in enumerate(lines, 1) if not _KEY.fullmatch(line)]
    if wrong:
        raise SettingsError([f"key {number}: must be 32 to 500 visible ASCII characters" for number in wrong])
    return tuple(line.encode() for line in lines)


class Signer:
    """
    Makes proofs; each is reused for half of its lifetime.

    Args:
        keys: Returns the current keys; the first signs.
        named: Returns the current entry of a caller in the access file, None for none.
        clock: Gives the dates of proofs.
    """

    def __init__(self, keys: Callable[[], Sequence[bytes]], named: Callable[[str], Entry | None], clock: Clock) -> None:
        self._keys = keys
        self._named = named
        self._clock = clock
        self._made: OrderedDict[tuple[str, str], tuple[str, float, Entry, bytes]] = OrderedDict()

    def proof(self, name: str, audience: str) -> str:
        """Return a proof for a caller; "" for one that is no longer in the access file."""
        entry = self._named(name)
        return self.proof_of(entry, audience) if entry is not None else ""

    def proof_of(self, entry: Entry, audience: str) -> str:
        """Return a proof for a service that calls on its own behalf; the access file is not consulted."""
        name, key = entry.name, self._keys()[0]
        now = self._clock.now().timestamp()
        made = self._made.get((name, audience))
        # Age by the wall clock, like the expiry in the proof: if the clock is set, a new proof is made at once.
        if made is not None and 0 <= now - made[1] < LIFETIME_SECONDS / 2 and made[2] is entry and made[3] == key:
            return made[0]
        proof = self._sign(entry, audience, key)
        self._made[name, audience] = (proof, now, entry, key)
        self._made.move_to_end((name, audience))
        if len(self._made) > _REMEMBERED:
            self._made.popitem(last=False)
        return proof

    def _sign(self, entry: Entry, audience: str, key: bytes) -> str:
        claim = {
            "name": entry.name,
            "roles": sorted(role.value for role in entry.rights.roles),
            "repositories": entry.rights.repositories.texts,
            "audience": audience,
            "expires": int(self._clock.now().timestamp() + LIFETIME_SECONDS),
        }
        body = json.dumps(claim, separators=(",", ":"), ensure_ascii=False).encode()
        return f"{_encoded(body)}.{_encoded(_tag(key, body))}"


class Verifier:
    """
    Verifies proofs; a valid one is cached until it expires.

    Args:
        keys: Returns the current keys.
        audiences: Full names of the contracts that are served here.
        clock: Gives the date with which the expiry of a proof is compared.
    """

    def __init__(self, keys: Callable[[], Sequence[bytes]], audiences: Collection[str], clock: Clock) -> None:
        self._keys = keys
        self._audiences = frozenset(audiences)
        self._clock = clock
        self._known: OrderedDict[str, tuple[Proven, float]] = OrderedDict()
        self._known_under: Sequence[bytes] = ()

    def read(self, proof: str) -> Proven:
        """Return the caller that a proof names. Raises Unauthenticated."""
        keys = self._keys()
        if keys is not self._known_under:
            self._known.clear()
            self._known_under = keys
        known = self._known.get(proof)
        if known is None:
            known = self._checked(proof, keys)
            self._known[proof] = known
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        proven, expires = known
        if self._clock.now().timestamp() >= expires + LEEWAY_SECONDS:
            raise Unauthenticated("the proof of identity has expired; compare the clocks of the services")
        return proven

    def _checked(self, proof: str, keys: Sequence[bytes]) -> tuple[Proven, float]:
        text, _, tag = proof.partition(".")
        body, given = _decoded(text), _decoded(tag)
        if not any(hmac.compare_digest(_tag(key, body), given) for key in keys):
            raise Unauthenticated("the proof of identity is not of these services; compare their identity_key_file")
        claim = json.loads(body)
        if claim["audience"] not in self._audiences:
            raise Unauthenticated("the proof of identity is for another service")
        # A role that only a later release knows is ignored.
        roles = frozenset(role for role in Role if role.value in claim["roles"])
        rights = Rights(roles, Patterns(tuple(claim["repositories"])))
        return Proven(claim["name"], rights), float(claim["expires"])


def _tag(key: bytes, body: bytes) -> bytes:
    return hmac.digest(key, _CONTEXT + body, hashlib.sha256)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
