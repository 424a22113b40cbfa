"""What answers share of the evidence that they were given, and what is not kept for them."""

from __future__ import annotations

from cgrag.type.v1 import evidence_pb2

from common.core.contract.evidence import Basis, BasisKind
from orchestrator.adapters.peers.shared_evidence import SharedEvidence


def message(name: str, text: str, **found: float | str | evidence_pb2.Basis) -> evidence_pb2.Evidence:
    """Return a piece as the retriever sends it."""
    return evidence_pb2.Evidence(evidence_id=name, text=text, **found)  # type: ignore[arg-type]  # fields of any type


def test_answers_share_the_text_of_a_piece_and_not_why_they_found_it() -> None:
    """Two messages of equal content give one text, each with its own score and reason."""
    shared = SharedEvidence()
    one = shared.read(message("a", "def a(): ...", score=0.5, reason="named"))
    other = shared.read(message("a", "def a(): ...", score=0.25, reason="called"))

    assert one.text is other.text
    assert (one.score, one.reason) == (0.5, "named")
    assert (other.score, other.reason) == (0.25, "called")


def test_what_led_to_a_piece_is_of_the_question_too() -> None:
    """A frame of one question's trace is none of another's."""
    shared = SharedEvidence()
    frame = evidence_pb2.Basis(kind=evidence_pb2.BASIS_KIND_FRAME, line=7)
    framed = shared.read(message("a", "def a(): ...", basis=frame))
    other = shared.read(message("a", "def a(): ..."))

    assert framed.text is other.text
    assert (framed.basis, other.basis) == (Basis(BasisKind.FRAME, line=7), None)


def test_answers_to_the_same_question_share_the_whole_piece() -> None:
    """A piece that was found for the same reason in the same pass is one piece."""
    shared = SharedEvidence()
    found = [shared.read(message("a", "def a(): ...", score=0.5, reason="named"), number) for number in (1, 1, 2)]

    assert found[0] is found[1]
    assert found[0].for_pass(1) is found[0]
    assert (found[2].pass_number, found[2].text is found[0].text) == (2, True)


def test_large_pieces_are_read_and_not_kept() -> None:
    """A message above the bound gives its piece, but a text of its own each time."""
    shared = SharedEvidence(max_bytes=64)
    texts = [shared.read(message("a", "x" * 100)).text for _ in range(2)]

    assert texts == ["x" * 100] * 2
    assert texts[0] is not texts[1]


def test_a_long_reason_counts_for_the_bound() -> None:
    """What is kept of a piece includes why it was found, so its size does too."""
    shared = SharedEvidence(max_bytes=64)
    found = [shared.read(message("a", "def a(): ...", reason="r" * 100)) for _ in range(2)]

    assert found[0] == found[1]
    assert found[0] is not found[1]


def test_the_piece_that_was_read_longest_ago_goes_first() -> None:
    """Beyond the bound on pieces one is forgotten; reading it again keeps one."""
    shared = SharedEvidence(pieces=2)
    first = {name: shared.read(message(name, f"text of {name}")).text for name in "ab"}
    for name in "ac":
        shared.read(message(name, f"text of {name}"))

    assert shared.read(message("a", "text of a")).text is first["a"]
    assert shared.read(message("b", "text of b")).text is not first["b"]


def test_clients_share_nothing_with_each_other() -> None:
    """What is remembered belongs to one reader of messages, and goes with it."""
    texts = [SharedEvidence().read(message("a", "def a(): ...")).text for _ in range(2)]

    assert texts[0] is not texts[1]
