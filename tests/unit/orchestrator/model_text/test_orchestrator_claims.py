"""Claims of an answer, and what its reader is told of them."""

from __future__ import annotations

import re

import pytest

from common.core.contract.evidence import CheckedClaim, Claim, ClaimKind, ClaimVerdict, Gap, GapOutcome, Span
from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.answers.disclaimer import disclaimer
from orchestrator.domain.evidence.piece import GapResult
from orchestrator.domain.grammar.extraction import extract_claims


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
        " The time was used up before everything was looked at. Stayed open: `b.py`."
        " Looked for and not found: `ledger`."
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
        "Looked for and not found: `gone0`, `gone1`, `gone2`, `gone3`, `gone4` and 2 more."
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
