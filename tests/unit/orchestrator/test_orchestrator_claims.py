"""Claims of an answer, and the confidence that follows from them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from orchestrator.domain.answer import Confidence, StopReason
from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.claims import CheckedClaim, Claim, ClaimKind, ClaimVerdict
from orchestrator.domain.confidence import ConfidenceThresholds, Grounds, grounds, judge_confidence
from orchestrator.domain.disclaimer import disclaimer
from orchestrator.domain.evidence import (
    Citation,
    Evidence,
    EvidenceKind,
    Gap,
    GapOutcome,
    GapResult,
    Relation,
    Span,
    UserList,
)
from orchestrator.domain.grammar.extraction import extract_claims
from orchestrator.domain.question import Anchors


def _claims(text: str, shown: str = "") -> tuple[Claim, ...]:
    return tuple(site.claim for site in extract_claims(text, shown=frozenset(re.findall(r"\w+", shown))))


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("`Cart.checkout()` calls `charge()`.", Claim(ClaimKind.CALLS, "Cart.checkout", "charge")),
        ("`charge` [1] then calls `Bank.ask` [2].", Claim(ClaimKind.CALLS, "charge", "Bank.ask")),
        ("`charge` is called by `checkout`.", Claim(ClaimKind.CALLS, "checkout", "charge")),
        ("`ask` raises a `PaymentError`.", Claim(ClaimKind.RAISES, "ask", "PaymentError")),
        ("`PaymentError` is raised in `ask()`.", Claim(ClaimKind.RAISES, "ask", "PaymentError")),
        ("`close` sets `self.total`.", Claim(ClaimKind.MUTATES, "close", "self.total")),
        ("`total` is set by `close()`.", Claim(ClaimKind.MUTATES, "close", "total")),
        ("It uses `Cart.checkout`.", Claim(ClaimKind.EXISTS, "Cart.checkout")),
        ("See `PaymentError`.", Claim(ClaimKind.EXISTS, "PaymentError")),
        ("Then `charge()` runs.", Claim(ClaimKind.EXISTS, "charge")),
        ("Then `robot.go()` runs.", Claim(ClaimKind.EXISTS, "robot.go")),
    ],
)
def test_finds_claims(text: str, claim: Claim) -> None:
    """Sentences about code in backticks become claims."""
    assert claim in _claims(text)


def test_a_list_of_callees_makes_a_claim_each() -> None:
    """`A` calls `B`, `C` and `D` says three things."""
    claims = _claims("`a_b.run` calls `one`, `two` and `three`.")

    assert [(each.subject, each.object) for each in claims if each.kind is ClaimKind.CALLS] == [
        ("a_b.run", "one"),
        ("a_b.run", "two"),
        ("a_b.run", "three"),
    ]


def test_a_list_of_callers_makes_a_claim_each() -> None:
    """`A` is called by `B`, `C` and `D` says what each of these does."""
    claims = _claims("`charge` is called by `one`, `two` and `three`.")

    assert claims == tuple(Claim(ClaimKind.CALLS, name, "charge") for name in ("one", "two", "three"))


def test_relations_are_kept_before_names_where_there_are_too_many() -> None:
    """That a name exists is the least that an answer says; of equals the first stay."""
    names = " ".join(f"See `Cart.total{number}`." for number in range(160))

    claims = _claims(f"{names} `Cart.close` calls `Bank.ask` and `Bank.pay`.")

    assert claims[:3] == (
        Claim(ClaimKind.CALLS, "Cart.close", "Bank.ask"),
        Claim(ClaimKind.CALLS, "Cart.close", "Bank.pay"),
        Claim(ClaimKind.EXISTS, "Cart.total0"),
    )
    assert claims[-1] == Claim(ClaimKind.EXISTS, f"Cart.total{len(claims) - 3}")


def test_a_quotation_of_nothing_claims_nothing() -> None:
    """A fenced block of white space under a place cannot be compared with anything."""
    claims = _claims("`shop/pay.py:3-4`\n```python\n  \n```\n")

    assert all(each.kind != ClaimKind.QUOTES for each in claims)


def test_a_quotation_claims_its_lines() -> None:
    """A fenced block below `path:first-last` is checked against those lines."""
    claims = _claims("So:\n\n`shop/a.py:3-4`\n```python\n    x = 1\n    y = 2\n```\n")

    assert claims == (Claim(ClaimKind.QUOTES, "", "    x = 1\n    y = 2", Span("shop/a.py", 3, 4)),)


@pytest.mark.parametrize(
    ("place", "span"),
    [
        ("shop/a.py:3", Span("shop/a.py", 3, 4)),
        ("shop/a.py:3-3", Span("shop/a.py", 3, 3)),
        ("shop/a.py:1-9", Span("shop/a.py", 1, 9)),
        ("shop/a.py:0", None),
        ("shop/a.py:4-3", None),
    ],
)
def test_the_lines_of_a_quotation_are_those_it_names_or_as_many_as_it_has(place: str, span: Span | None) -> None:
    """Without a last line the quotation tells it; lines that no file can have claim nothing."""
    claims = _claims(f"`{place}`\n```python\n    x = 1\n    y = 2\n```\n")

    assert [each.span for each in claims] == ([span] if span else [])


@pytest.mark.parametrize(
    "text",
    [
        *("`true`", "`shop/a.py`", "`pay.py`", "`total`", "`MAX_LENGTH`", "calls nothing"),
        *("`self.total`", "`cls.total`", "`this.total`", "`super.total`"),
    ],
)
def test_words_are_not_taken_for_symbols(text: str) -> None:
    """Literals, files, parameters and plain prose claim nothing."""
    assert _claims(text) == ()


GOOD = Grounds(
    citations=3, coverage=0.8, shown_coverage=0.9, is_exact=True, unresolved=0, gaps=1, verified=2, contradicted=0
)


@pytest.mark.parametrize(
    ("facts", "level", "words"),
    [
        (GOOD, Confidence.HIGH, "nothing stayed open"),
        (replace(GOOD, verified=3), Confidence.HIGH, "3 claims verified"),
        (replace(GOOD, is_exact=False, verified=9), Confidence.MEDIUM, "not called what the question says"),
        (replace(GOOD, verified=0), Confidence.HIGH, "3 places cited, and nothing"),
        (replace(GOOD, coverage=0.59), Confidence.MEDIUM, "part of what is asked"),
        (replace(GOOD, lacks_one=True), Confidence.MEDIUM, "one alone of the things that are compared"),
        (replace(GOOD, coverage=0.6, citations=2), Confidence.HIGH, "60% of what is asked, 2 places cited"),
        (replace(GOOD, lacks_value=True), Confidence.MEDIUM, "without the value"),
        (replace(GOOD, lacks_value=True, is_exact=False), Confidence.LOW, "no value"),
        (replace(GOOD, unresolved=1, gaps=2), Confidence.MEDIUM, "1 of 2 missing things stayed open"),
        (replace(GOOD, citations=1), Confidence.MEDIUM, "single place"),
        (replace(GOOD, verified=9, unseen_messages=1), Confidence.MEDIUM, "is in no cited place"),
        (replace(GOOD, verified=3, contradicted=1), Confidence.MEDIUM, "1 claim contradicted"),
        (replace(GOOD, citations=0), Confidence.LOW, "no place"),
        (replace(GOOD, shown_coverage=0.29), Confidence.LOW, "29%"),
        (replace(GOOD, coverage=0.3, shown_coverage=0.3), Confidence.MEDIUM, "part of what is asked"),
        (replace(GOOD, shown_coverage=0.0, is_measured=True), Confidence.MEDIUM, "was measured, 3 places cited"),
        (replace(GOOD, finds_nobody=True), Confidence.MEDIUM, "not resolved"),
        (replace(GOOD, other_failure="it may be another"), Confidence.LOW, "it may be another."),
        (replace(GOOD, unresolved=2, gaps=2), Confidence.LOW, "2 of 2"),
        (replace(GOOD, unresolved=7, gaps=10), Confidence.LOW, "7 of 10"),
        (replace(GOOD, unresolved=2, gaps=3), Confidence.MEDIUM, "2 of 3"),
        (replace(GOOD, contradicted=2), Confidence.LOW, "2 claims contradicted"),
        (replace(GOOD, unsaid_version="WIRE/2"), Confidence.LOW, "does not speak of WIRE/2"),
    ],
)
def test_confidence_follows_from_what_happened(facts: Grounds, level: Confidence, words: str) -> None:
    """Citations, coverage, open gaps and refuted claims decide; the sentence says which."""
    found, reason = judge_confidence(facts, ConfidenceThresholds())

    assert found is level
    assert words in reason


def test_grounds_are_those_of_what_is_cited() -> None:
    """What comes first is counted with what it cites; a gap that nobody searched for is open."""
    evidence = [
        Evidence("e", title="charge", text="takes the money of a customer"),
        Evidence("besides", text="raise Declined('card declined')"),
    ]
    results = [GapResult(Gap("g1")), GapResult(Gap("g2"), GapOutcome.RESOLVED)]
    citations = [Citation(1, Span("a.py", 1, 2), "charge", evidence_id="e")]

    anchors = Anchors(symbols=("charge",), error_messages=("card declined",))
    facts = grounds("Who charges a customer twice?", anchors, "It charges. [1]", evidence, citations, results, ())

    assert (facts.citations, facts.unresolved, facts.gaps, facts.unseen_messages) == (1, 1, 2, 1)
    assert (facts.coverage, facts.shown_coverage) == (1 / 3, 2 / 3)


def test_claims_are_counted_by_their_verdict() -> None:
    """What could not be checked is neither for the answer nor against it."""
    verdicts = (ClaimVerdict.VERIFIED, ClaimVerdict.UNCHECKABLE, ClaimVerdict.CONTRADICTED, ClaimVerdict.VERIFIED)
    claims = [CheckedClaim(Claim(ClaimKind.EXISTS, "charge"), verdict) for verdict in verdicts]

    facts = grounds("Who charges?", Anchors(), "It charges.", (), (), (), claims)

    assert (facts.verified, facts.contradicted) == (2, 1)


def test_a_message_is_not_shown_by_an_opening_that_cites_nothing() -> None:
    """What is cited further below does not make it the answer to the message."""
    seen = Evidence("e", text="raise Declined('card declined')")
    text = "The bank has the last word on whatever is paid here.\n\n- `ask` [1]"
    citations = [Citation(1, Span("a.py", 1, 2), evidence_id="e")]

    facts = grounds("Why is it declined?", Anchors(error_messages=("card declined",)), text, [seen], citations, (), ())

    assert (facts.unseen_messages, facts.is_exact) == (0, False)


def test_a_message_does_not_stand_for_what_the_question_names_besides() -> None:
    """Who makes it is not yet an answer about the other thing."""
    seen = Evidence("e", text="raise Declined('card declined')")
    citations = [Citation(1, Span("a.py", 1, 2), evidence_id="e")]
    anchors = Anchors(symbols=("Cart",), error_messages=("card declined",))

    facts = grounds("Why does Cart say 'card declined'?", anchors, "There: [1]", [seen], citations, (), ())

    assert (facts.unseen_messages, facts.is_exact) == (0, False)


def test_a_list_without_users_counts_where_the_answer_begins_with_it() -> None:
    """That nobody is known to use some other thing takes nothing from an answer that begins with code."""
    code = Evidence("e", EvidenceKind.SOURCE, text="def charge(): ...")
    nobody = Evidence("n", EvidenceKind.FLOW, users=UserList("refund", Relation.CALLS))
    citations = [Citation(number, Span("a.py", number), evidence_id=name) for number, name in ((1, "e"), (2, "n"))]

    found = [
        grounds("Who charges?", Anchors(), text, [code, nobody], citations, (), ()).finds_nobody
        for text in ("It charges. [1]\n\nNobody refunds. [2]", "Nobody refunds. [2]", "Nobody refunds anything.")
    ]

    assert found == [False, True, True]


NUMBERS, CODE = Evidence("m", EvidenceKind.METRICS, text="Structure of shop/till/\n"), Evidence("e", text="def pay()")


@pytest.mark.parametrize(
    ("question", "first", "evidence", "is_measured"),
    [
        ("Which modules are most coupled to the bank?", "", [NUMBERS, CODE], True),
        ("Which modules are most coupled to the bank?", " [1]", [NUMBERS, CODE], False),
        ("Which modules are most coupled to the bank?", "", [CODE], False),
        ("Why does the bank ask?", "", [NUMBERS, CODE], False),
    ],
)
def test_numbers_answer_a_question_for_them(
    question: str, first: str, evidence: list[Evidence], *, is_measured: bool
) -> None:
    """They are about the part that is meant, whatever it is called; code first, or another question, is no such."""
    text = f"Most coupled with shop/till/: `web`, `store`; the numbers follow.{first}\n\n- `pay` [1]"

    facts = grounds(question, Anchors(), text, evidence, [Citation(1, Span("a.py", 1, 2), evidence_id="e")], (), ())

    assert facts.is_measured is is_measured


@pytest.mark.parametrize(("meant", "level"), [((), Confidence.LOW), (("Bank.charge",), Confidence.MEDIUM)])
def test_a_question_without_words_is_never_answered_surely(meant: tuple[str, ...], level: Confidence) -> None:
    """It says nothing; what the session says that is meant may be what is told."""
    evidence = [Evidence("e", title="Bank.charge", text="takes the money"), Evidence("f")]
    citations = [Citation(1, Span("a.py", 1, 2), "charge", evidence_id="e"), Citation(2, Span("b.py"), evidence_id="f")]

    facts = grounds("Why?", Anchors(symbols=meant), "The `Bank.charge`. [1]", evidence, citations, (), ())

    assert judge_confidence(facts, ConfidenceThresholds())[0] is level


def test_what_is_meant_counts_though_a_longer_word_of_the_question_has_it() -> None:
    """The question does not name it by that."""
    facts = grounds("Is it precharged?", Anchors(symbols=("charge",)), "See `charge`.", (), (), (), ())

    assert facts.coverage == 1 / 2


def test_the_disclaimer_names_what_does_not_exist() -> None:
    """What is open, degraded or invented is told by name."""
    claims = [
        CheckedClaim(Claim(ClaimKind.EXISTS, "Bank.vanish"), ClaimVerdict.CONTRADICTED, "no Bank.vanish"),
        CheckedClaim(Claim(ClaimKind.EXISTS, "Bank.ask"), ClaimVerdict.VERIFIED, "Bank.ask is there"),
        CheckedClaim(Claim(ClaimKind.CALLS, "charge", "pay"), ClaimVerdict.CONTRADICTED, "charge calls ask."),
        CheckedClaim(Claim(ClaimKind.CALLS, "charge", "ask"), ClaimVerdict.VERIFIED, "line 4"),
    ]
    gaps = [
        GapResult(Gap("g1", symbol="ledger", path="a.py"), GapOutcome.ABSENT),
        GapResult(Gap("g2", path="b.py")),
        GapResult(Gap("g3", symbol="till"), GapOutcome.RESOLVED),
        GapResult(Gap("g4", description="how it ends"), GapOutcome.BELOW_FLOOR),
    ]

    assert disclaimer(["model", "crystal"], gaps, claims, StopReason.TIME_SPENT, ["It is short."]) == (
        "The model did not answer; the text was written from evidence only. crystal was not available. It is short."
        " The time was used up before everything was looked at. Stayed open: `ledger`, `b.py`."
        " Not found in the index although the text names it: `Bank.vanish`."
        " Contradicted by the index: charge calls ask."
    )
    assert disclaimer([], [], [], StopReason.NOTHING_ASKED) == ""


def test_the_disclaimer_names_five_things_and_counts_the_rest() -> None:
    """What is named twice is one of them."""
    gaps = [GapResult(Gap(f"g{number}", symbol=f"gone{number % 7}"), GapOutcome.ABSENT) for number in range(8)]
    invented = [
        CheckedClaim(Claim(ClaimKind.EXISTS, name), ClaimVerdict.CONTRADICTED) for name in ("A.b", "C.d", "A.b")
    ]

    assert disclaimer([], gaps, invented, StopReason.NOTHING_ASKED) == (
        "Stayed open: `gone0`, `gone1`, `gone2`, `gone3`, `gone4` and 2 more."
        " Not found in the index although the text names them: `A.b`, `C.d`."
    )


@pytest.mark.parametrize(
    ("shown", "claims"),
    [
        ("def sender(): ...", (Claim(ClaimKind.EXISTS, "Client.send"),)),
        ("client.resend_all()", (Claim(ClaimKind.EXISTS, "Client.send"),)),
        ("def send(self): ...", (Claim(ClaimKind.EXISTS, "Client.send"),)),
    ],
)
def test_a_name_is_shown_only_as_a_whole(shown: str, claims: tuple[Claim, ...]) -> None:
    """That the evidence has a longer word does not vouch for an invented name, nor does the member for its owner."""
    assert _claims("It uses `Client.send()`.", shown=shown) == claims
    assert _claims("It uses `send_all()`.", shown=shown) == (Claim(ClaimKind.EXISTS, "send_all"),)
    assert _claims("It uses `send_all()`.", shown="def send_all(): ...") == ()


@pytest.mark.parametrize("place", ["a.py:0", "a.py:9-3", "a.py:99999999999", "a.py:1-99999999999x"])
def test_no_claim_is_made_of_lines_that_no_file_has(place: str) -> None:
    """What nobody could check is not asked: one such claim would leave all of them unchecked."""
    found = _claims(f"{place}\n```\nx = 1\n```\n")

    assert all(each.span and 1 <= each.span.start_line <= each.span.end_line < 10**9 for each in found)


@pytest.mark.parametrize(
    ("cited", "unseen"),
    [
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.MESSAGE, text="card {} declined")), 1),
        (Evidence("e", text="fail(DECLINED)", basis=Basis(BasisKind.CONSTANT, "DECLINED", "card declined")), 1),
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.TEXT, text="card declined: {} exceeded")), 1),
        (
            Evidence("e", text="fail('limit of it exceeded')", basis=Basis(BasisKind.MESSAGE, text="card {} declined")),
            0,
        ),
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.MESSAGE, text="it is not as it was")), 0),
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.MESSAGE, text="no such customer")), 2),
    ],
)
def test_of_several_messages_each_is_to_be_seen(cited: Evidence, unseen: int) -> None:
    """A place that makes one says nothing of the other, unless it has words of its own or none that tell them apart."""
    citations = [Citation(1, Span("a.py", 1, 2), evidence_id="e")]
    anchors = Anchors(error_messages=("card declined", "limit exceeded"))
    facts = grounds("Why is it declined?", anchors, "There: [1]", [cited], citations, (), ())

    assert (facts.unseen_messages, facts.is_exact) == (unseen, unseen < 2)


@pytest.mark.parametrize(
    ("said", "lacks"), [("`charge` takes money. [1]", True), ("`charge` takes money, `refunds` give it. [1]", False)]
)
def test_of_two_things_that_are_compared_both_are_asked_for(said: str, lacks: bool) -> None:
    """An answer that begins with one of them says nothing of their difference."""
    evidence = [Evidence("e", title="charge", text="takes the money of a customer")]
    citations = [Citation(1, Span("a.py", 1, 2), "charge", evidence_id="e")]
    question = "What is the difference between charge and refund?"

    facts = grounds(question, Anchors(symbols=("charge",)), said, evidence, citations, (), ())

    assert facts.lacks_one is lacks
