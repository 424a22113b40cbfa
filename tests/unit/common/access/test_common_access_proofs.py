"""Proofs of identity: what they carry, when they hold, and what is refused."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from enum import Enum
from typing import cast

import pytest

from common.core.errors import Unauthenticated
from common.core.settings import SettingsError
from common.rpc.access.file import Callers, read_callers
from common.rpc.access.proofs import LEEWAY_SECONDS, LIFETIME_SECONDS, Signer, Verifier, read_keys
from common.rpc.access.rights import Role
from tests.e2e.guarded import access_file
from tests.fakes.clock import FakeClock

OLD, NEW = b"o" * 32, b"n" * 32
HERE = "cgrag.retriever.v1.RetrieverService"
CALLERS = {"anna": ("asker, reader", "a*"), "bert": ("reader", "b")}


class LaterRole(Enum):
    """A role that this release does not know."""

    AUDITOR = "auditor"


class Pair:
    """A service that signs and one that reads, each with its own keys and the same clock."""

    def __init__(self, signing: tuple[bytes, ...] = (OLD,), reading: tuple[bytes, ...] = (OLD,)) -> None:
        self.clock = FakeClock()
        self.callers: Callers = read_callers(access_file(CALLERS).encode())
        self.signing, self.reading = signing, reading
        self.signer = Signer(lambda: self.signing, lambda name: self.callers.named(name), self.clock)
        self.verifier = Verifier(lambda: self.reading, (HERE,), self.clock)

    def told(self, proof: str) -> str:
        """Return why a proof is refused; "" if it is not."""
        try:
            self.verifier.read(proof)
        except Unauthenticated as error:
            return error.message
        return ""


def test_a_proof_tells_who_and_what_may_be_seen() -> None:
    """Name, roles and repositories arrive as the access file has them."""
    pair = Pair()
    found = pair.verifier.read(pair.signer.proof("anna", HERE))

    assert found.name == "anna"
    assert found.rights.roles == {Role.ASKER, Role.READER}
    assert found.rights.repositories.match("alpha")
    assert not found.rights.repositories.match("beta")


def test_a_role_of_a_later_release_gives_nothing() -> None:
    """The others hold: a caller that a service of the next release speaks for is no stranger to one of this."""
    pair = Pair()
    entry = pair.callers.named("bert")
    assert entry is not None
    roles = cast("frozenset[Role]", {Role.READER, LaterRole.AUDITOR})
    later = replace(entry, rights=replace(entry.rights, roles=roles))
    found = pair.verifier.read(pair.signer.proof_of(later, HERE))

    assert found.rights.roles == {Role.READER}


def test_a_proof_expires() -> None:
    """It holds for its life and the leeway of clocks, not longer, also where it was known before."""
    pair = Pair()
    proof = pair.signer.proof("anna", HERE)
    told = [pair.told(proof)]
    pair.clock.jump(LIFETIME_SECONDS + LEEWAY_SECONDS - 1)
    told.append(pair.told(proof))
    pair.clock.jump(1)
    told.append(pair.told(proof))

    assert told[:2] == ["", ""]
    assert "expired" in told[2]
    assert "expired" in Pair.told(pair, proof)


@pytest.mark.parametrize("seconds", [86_400, 3600, -3600, -86_400])
def test_a_clock_that_is_set_costs_no_call(seconds: int) -> None:
    """Forward, the proof at hand is over for whom it is made; back, it would hold for longer than it may."""
    pair = Pair()
    before = pair.signer.proof("anna", HERE)
    pair.clock.jump(seconds)
    after = pair.signer.proof("anna", HERE)

    assert pair.told(after) == ""
    assert after != before
    assert pair.signer.proof("anna", HERE) == after


def test_a_proof_is_for_one_contract() -> None:
    """What was made for another service is refused, however good."""
    pair = Pair()

    assert "another service" in pair.told(pair.signer.proof("anna", "cgrag.indexer.v1.IndexerService"))


def test_whoever_changes_a_proof_is_refused() -> None:
    """Another name, other rights, a later end, another key, no signature, or no proof at all."""
    pair = Pair()
    body, _, tag = pair.signer.proof("anna", HERE).partition(".")
    claim = json.loads(base64.urlsafe_b64decode(body + "=="))
    changed = [claim | change for change in ({"name": "root"}, {"repositories": ["*"]}, {"expires": 9e9})]
    forged = [base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") + "." + tag for each in changed]
    foreign = Pair(signing=(NEW,)).signer.proof("anna", HERE)

    for proof in (*forged, foreign, body, f"{body}.", f".{tag}", ".", "x", "ü.ü", f"{body}.{tag[:-4]}"):
        assert "not of these services" in pair.told(proof), proof
    assert pair.told(f"{body}.{tag}") == ""


def test_keys_are_replaced_without_a_gap() -> None:
    """With two keys in force, proofs under either are good; one that is taken out is not, even if it was known."""
    pair = Pair(signing=(OLD,), reading=(OLD, NEW))
    old = pair.signer.proof("anna", HERE)
    pair.signing = (NEW, OLD)
    new = pair.signer.proof("anna", HERE)
    before = [pair.told(old), pair.told(new)]
    pair.reading = (NEW,)

    assert new != old
    assert before == ["", ""]
    assert pair.told(new) == ""
    assert "not of these services" in pair.told(old)


def test_a_proof_is_made_anew_when_it_is_half_over_or_the_caller_has_changed() -> None:
    """Until then the same one serves; a caller that is gone gets none."""
    pair = Pair()
    first = pair.signer.proof("anna", HERE)
    again = pair.signer.proof("anna", HERE)
    pair.clock.advance(LIFETIME_SECONDS / 2)
    later = pair.signer.proof("anna", HERE)
    pair.callers = read_callers(access_file({"anna": ("reader", "b*")}).encode())
    other = pair.signer.proof("anna", HERE)

    assert first == again
    assert later != first
    assert pair.verifier.read(other).rights.repositories.texts == ("b*",)
    assert pair.signer.proof("bert", HERE) == ""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not 0"),
        (b"\n \n", "not 0"),
        (b"short\n", "key 1"),
        (b"a" * 32 + b"\n" + b"b" * 31, "key 2"),
        (b"\n".join([b"a" * 32, b"b" * 32, b"c" * 32]), "not 3"),
        ("ä".encode() * 32, "key 1"),
    ],
)
def test_files_of_keys_are_checked(content: bytes, problem: str) -> None:
    """One or two keys of 32 visible characters or more."""
    with pytest.raises(SettingsError, match=problem):
        read_keys(content)

    assert read_keys(b" " + OLD + b" \r\n\n" + NEW) == (OLD, NEW)
