"""Statements about code that are known to be true or false, and how their verdicts are scored."""

from __future__ import annotations

from pathlib import Path

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import evidence_pb2

from cgrag_client.evaluation.claims.cases import KINDS, Statement, make_statements, read_phrasings
from cgrag_client.evaluation.claims.measure import Judged, _judged, score
from cgrag_client.evaluation.claims.truth import CodeTruth, read_code

SHOP = """\
from elsewhere import Base


class Declined(Exception):
    pass


class Refused(Declined):
    pass


class Till:
    limit = 5

    def __init__(self, drawer):
        self.drawer = drawer
        self.count, self.open = 0, False

    def take(self, amount_of_money):
        if amount_of_money > self.limit:
            raise Declined("too much for this till")
        self.count += 1
        return self.put_away(amount_of_money)

    def put_away(self, amount_of_money):
        self.drawer.append(amount_of_money + self.limit)

    def refuse_all(self):
        raise Refused("the till is closed for today")


class Guest(Base):
    def stay_for_long(self):
        return helper_of_guests(self.nights_to_stay)


def helper_of_guests(nights):
    return nights * len(str(nights)) + nights
"""


@pytest.fixture
def truth(tmp_path: Path) -> CodeTruth:
    """Read one file of code and one of tests."""
    (tmp_path / "shop.py").write_text(SHOP + "\n\n# the end\n" * 20, encoding="utf-8")
    (tmp_path / "test_shop.py").write_text("def test_it():\n    take_it_all()\n", encoding="utf-8")
    return read_code(tmp_path)


def test_trees_say_what_code_does(truth: CodeTruth) -> None:
    """Calls, raises, changes and members; tests are no subjects, and what they write is known."""
    bodies = {each.name: each for each in truth.bodies}
    types = {each.name: each for each in truth.types}

    assert (bodies["Till.take"].raises, bodies["Till.take"].changes) == (("Declined",), ("count",))
    assert bodies["Till.take"].calls == ("Declined", "self.put_away")
    assert bodies["Till.__init__"].changes == ("drawer", "count", "open")
    assert types["Till"].members >= {"limit", "drawer", "count", "take"}
    assert "test_it" not in bodies
    assert "take_it_all" in truth.words
    assert truth.family(types["Till"]) == (types["Till"],)
    assert truth.family(types["Guest"]) is None


def test_statements_are_true_and_false_and_said_in_known_and_other_ways(truth: CodeTruth) -> None:
    """Each slot is filled, and equal arguments give equal statements."""
    statements = make_statements(truth, per_kind=6, seed=1)

    assert {each.kind for each in statements if each.is_true} == set(KINDS)
    assert {each.kind for each in statements if not each.is_true} == set(KINDS)
    assert not any("{" in each.text.replace("{code}", "") for each in statements)
    assert statements == make_statements(truth, per_kind=6, seed=1)
    assert any("Guest" not in each.text for each in statements if each.kind == "owners" and not each.is_true)
    raised = {each.text for each in statements if each.kind == "raises" and not each.is_true}
    assert not any("Declined" in each and "`Till.take" in each for each in raised)
    assert not any("Refused" in each and "`Till.take" in each for each in raised)


def test_each_kind_is_said_in_at_least_ten_ways_of_either_half() -> None:
    """And no way is in both."""
    for kind, halves in read_phrasings().items():
        assert kind in KINDS
        assert min(len(halves["known"]), len(halves["held_out"])) >= 10
        assert not set(halves["known"]) & set(halves["held_out"])


def _claim(
    kind: evidence_pb2.ClaimKind.ValueType, subject: str, verdict: evidence_pb2.ClaimVerdict.ValueType
) -> orchestrator_pb2.TextClaim:
    checked = evidence_pb2.CheckedClaim(claim=evidence_pb2.Claim(kind=kind, subject=subject), verdict=verdict)
    return orchestrator_pb2.TextClaim(checked=checked)


def test_a_statement_is_judged_by_what_it_says() -> None:
    """That its names exist verifies no relation; one refuted claim refutes it."""
    exists = _claim(evidence_pb2.CLAIM_KIND_EXISTS, "a.b", evidence_pb2.CLAIM_VERDICT_VERIFIED)
    calls = _claim(evidence_pb2.CLAIM_KIND_CALLS, "a.b", evidence_pb2.CLAIM_VERDICT_VERIFIED)
    refuted = _claim(evidence_pb2.CLAIM_KIND_CALLS, "a.b", evidence_pb2.CLAIM_VERDICT_CONTRADICTED)
    statement = Statement("calls", True, "known", "", "")
    name = Statement("names", False, "held_out", "", "", "a.b")

    judged = [_judged(statement, each) for each in ([exists], [exists, calls], [exists, calls, refuted])]

    assert [(each.is_verified, each.is_refuted) for each in judged] == [(False, False), (True, False), (False, True)]
    assert _judged(name, [exists]).is_wrong
    assert not _judged(name, [calls]).is_verified


def test_scores_are_shares_by_truth_kind_and_half() -> None:
    """Of all statements and of each group."""
    statements = [Statement("calls", True, "known", "", ""), Statement("calls", False, "held_out", "", "")]
    judged = [Judged(statements[0], True, False, ()), Judged(statements[1], False, False, ())]

    found = score([*judged, Judged(statements[0], False, False, ())])

    assert found["true calls known"] == {"n": 2, "verified": 0.5, "refuted": 0.0}
    assert found["false"] == {"n": 1, "verified": 0.0, "refuted": 0.0}
