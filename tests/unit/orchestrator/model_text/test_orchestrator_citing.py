"""Citations of a model are held against what they cite; sentences that the index contradicts say so."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from common.core.contract.evidence import CheckedClaim, Claim, ClaimKind, ClaimVerdict, Span
from orchestrator.adapters.engines.prompts import PROMPTS
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.answers.claims import ClaimSite
from orchestrator.domain.answers.confidence import ConfidenceThresholds
from orchestrator.domain.answers.events import CitedLabel
from orchestrator.domain.evidence.piece import Evidence, SymbolRef, User, UserList
from orchestrator.domain.grammar.lexicon import NOT_SHOWN
from orchestrator.domain.model_text.citing import HeldCitations, hold_citations, marked
from orchestrator.domain.model_text.model_confidence import (
    ModelFeatures,
    decide_model_confidence,
    model_features,
)
from orchestrator.domain.model_text.numbering import CitationNumberer

PAY = Evidence("pay", title="pay", text="def pay(sum):\n    return ask_bank(sum)\n", span=Span("a.py", 1, 2))
ASK = Evidence("ask", title="ask_bank", text="def ask_bank(sum):\n    raise Declined\n", span=Span("b.py", 1, 2))
FLOW = Evidence(
    "flow", text="- Till.close_all\n", mentions=(SymbolRef("c.py", "Till.close_all", start_line=7, end_line=9),)
)
EVIDENCE = (PAY, ASK, FLOW)
CITED = (CitedLabel("pay"), CitedLabel("ask"))


@pytest.mark.parametrize(
    ("text", "held", "cited"),
    [
        ("`ask_bank` fails [2]. `pay` goes on [1].", "`ask_bank` fails [2]. `pay` goes on [1].", ["pay", "ask"]),
        ("`Declined` comes up [1].", "`Declined` comes up [1].", ["ask"]),
        ("`Declined` comes up [1], in `ask_bank` [2].", "`Declined` comes up [1], in `ask_bank` [1].", ["ask"]),
        ("`Never.seen` does it [1]. `pay` asks [1].", "`Never.seen` does it. `pay` asks [1].", ["pay"]),
        ("It is closed by `Till.close_all` [1].", "It is closed by `Till.close_all` [1].", ["flow"]),
        ("Nothing is named here [2].", "Nothing is named here [2].", ["pay", "ask"]),
        (
            "```\n`Declined` [1]\n```\n| `Declined` [1] |",
            "```\n`Declined` [1]\n```\n| `Declined` [1] |",
            ["pay", "ask"],
        ),
        ("`Declined` is raised. [1]", "`Declined` is raised. [1]", ["ask"]),
        ("`pay` [1] and `Declined` [1].", "`pay` [1] and `Declined` [2].", ["pay", "ask"]),
    ],
)
def test_a_citation_shows_what_it_is_cited_for_or_moves_or_goes(text: str, held: str, cited: list[str]) -> None:
    """It is for the names before it, back to the last one; numbers are in order of first mention again."""
    found = hold_citations(text, CITED, EVIDENCE)

    assert found.text == held
    assert [each.evidence_id for each in found.cited] == cited


def test_of_a_list_what_the_sentence_names_is_cited() -> None:
    """A list has no place of its own."""
    listed = Evidence(
        "users", text="- a\n- b\n", mentions=(SymbolRef("a.py", "pay", start_line=1), SymbolRef("b.py", "Till.shut"))
    )

    held = hold_citations("`Till.shut()` uses it [1], and others do [1].", (CitedLabel("users"),), (listed,))

    assert held.cited[0] == CitedLabel("users", "Till.shut")


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("`Till.shut()` asks [E1]; others do.", "`Till.shut()` asks [b.py:7]; others do."),
        ("`pay()` and `till/day.py` ask [E1].", "`pay()` and `till/day.py` ask [a.py:3][till/day.py:9]."),
        ("| `pay()` | asks [E1] |", "| `pay()` | asks [a.py:3] |"),
        ("It is asked at lines 3 and 7 [E1].", "It is asked at lines 3 and 7 [a.py:3][b.py:7]."),
        ("Three ask `Bank.ask()` [E1].", "Three ask `Bank.ask()` [a.py:3][b.py:7][till/day.py:9]."),
        ("`Never.seen()` is none of them [E1].", "`Never.seen()` is none of them [a.py:3][b.py:7][till/day.py:9]."),
        ("`pay()` asks [E1:Till.shut].", "`pay()` asks [b.py:7]."),
        ("`pay()` asks [E1], `Till` too [E1].", "`pay()` asks [a.py:3], `Till` too [b.py:7]."),
        ("`pay()` asks [E1], as\n`Till` does [E1].", "`pay()` asks [a.py:3], as\n`Till` does [b.py:7]."),
        ("`till/day.py:9` and `b.py:7` ask [E1].", "`till/day.py:9` and `b.py:7` ask [b.py:7][till/day.py:9]."),
        ("`day.py:8` and `:9` ask `a` [E1].", "`day.py:8` and `:9` ask `a` [till/day.py:9]."),
        ("The day asks it [E1].", "The day asks it [till/day.py:9]."),
        ("It is asked `twice` [E1].", "It is asked `twice` [till/day.py:9]."),
        ("It is asked `twice`, `ask` says [E2:1] [E1].", "It is asked `twice`, `ask` says [:1] [till/day.py:9]."),
    ],
)
def test_of_a_list_of_lines_those_within_what_is_named_are_cited(text: str, held: str) -> None:
    """A list that is cited as a whole stands for all its lines only where the sentence names none of them."""
    pay, shut = SymbolRef("a.py", "pay", start_line=1), SymbolRef("b.py", "Till.shut", start_line=6)
    users = UserList(
        "Bank.ask",
        listed=(
            User("pay", pay, Span("a.py", 3, 3)),
            User("Till.shut", shut, Span("b.py", 7, 7)),
            User("till/day.py", None, Span("till/day.py", 9, 9)),
        ),
    )
    told = "- pay (a.py:1) at line 3: ask(1)\n- Till.shut (b.py:6) at line 7: ask(2)\n- till/day.py:9: ask(twice)\n"
    supplied = (
        Evidence("users", text=f"asked by 3\n{told}", mentions=(pay, shut), users=users),
        Evidence("ask", text="def ask(): ...\n", span=Span("a.py", 1, 1)),
    )
    numberer = CitationNumberer(supplied, by_use=True)

    found = hold_citations(numberer.feed(text) + numberer.finish(), numberer.cited, supplied)

    places = [f"[{each.path}:{each.start_line}]" for each in found.cited]
    assert re.sub(r"\[(\d+)\]", lambda number: places[int(number[1]) - 1], found.text) == held
    assert (found.moved, found.dropped) == (0, 0)


def test_lines_that_a_model_cites_stay() -> None:
    """The names of a sentence often stand elsewhere than the lines that show what it says of them."""
    lines = CitedLabel("ask", start_line=2, end_line=2)

    held = hold_citations("`pay` goes on [1]. `Never.seen` too [1].", (lines,), EVIDENCE)

    assert (held.cited, held.moved, held.dropped) == ((lines,), 0, 0)


def test_lines_that_are_a_whole_piece_stay_too() -> None:
    """Written as lines they are lines, however many the piece has."""
    numberer = CitationNumberer(EVIDENCE)
    text = numberer.feed("`Declined` comes up behind it [E1:1-2].") + numberer.finish()

    held = hold_citations(text, numberer.cited, EVIDENCE)

    assert held.cited == (CitedLabel("pay", start_line=1, end_line=2),)


def test_a_piece_that_shows_the_value_stays() -> None:
    """A sentence says of a name which value is the default, and cites the value."""
    value = Evidence("value", title="RETRIES", text="RETRIES = 0\n", span=Span("c.py", 3, 3))

    held = hold_citations("`pay` makes of the default `0` [1] what it can.", (CitedLabel("value"),), (PAY, value))

    assert held.cited == (CitedLabel("value"),)


def test_what_was_changed_is_counted() -> None:
    """Of the citations that stand beside names."""
    text = "`Declined` [1], `pay` [1], `Never.seen` [2], and so on [2]."

    found = hold_citations(text, CITED, EVIDENCE)

    assert (found.checked, found.moved, found.dropped) == (4, 1, 1)
    assert found.share == 0.5
    assert hold_citations("so on [1].", CITED, EVIDENCE).share == 1


def test_a_sentence_that_the_index_contradicts_says_so() -> None:
    """Behind the sentence, once for each reason; what is open says nothing."""
    text = "`pay` calls `log`. `pay` is here."
    sites = [ClaimSite(Claim(ClaimKind.CALLS, "pay", "log"), 0, 18), ClaimSite(Claim(ClaimKind.EXISTS, "pay"), 19, 33)]
    verdicts = [ClaimVerdict.CONTRADICTED, ClaimVerdict.UNCHECKABLE]
    checked = [CheckedClaim(each.claim, verdict, "it does not") for each, verdict in zip(sites, verdicts, strict=True)]

    assert (
        marked(text, sites, checked) == "`pay` calls `log`. _(contradicted by the index: it does not)_ `pay` is here."
    )


GOOD = ModelFeatures(citations=4, verified=6)


@pytest.mark.parametrize(
    ("features", "level", "words"),
    [
        (GOOD, Confidence.HIGH, "4 places cited, 6 claims verified, none contradicted"),
        (replace(GOOD, verified=0), Confidence.HIGH, "0 claims verified"),
        (replace(GOOD, citations=0), Confidence.LOW, "no place"),
        (replace(GOOD, held=0.4), Confidence.LOW, "only 40% of the citations"),
        (replace(GOOD, verified=2, contradicted=2), Confidence.LOW, "contradicts 2 claims and verifies 2"),
        (replace(GOOD, contradicted=1), Confidence.MEDIUM, "contradicts 1 claim"),
        (replace(GOOD, unshown=1), Confidence.MEDIUM, "says of 1 thing: not shown"),
        (replace(GOOD, citations=1), Confidence.MEDIUM, "single place"),
    ],
)
def test_the_confidence_of_a_model_follows_from_what_was_checked(
    features: ModelFeatures, level: Confidence, words: str
) -> None:
    """And from what the answer says that it was not shown, which tells most."""
    found, reason = decide_model_confidence(features, ConfidenceThresholds())

    assert found is level
    assert words in reason


def test_features_count_what_tells_something() -> None:
    """That a name exists verifies little; that it does not tells much."""
    said = [
        (ClaimKind.EXISTS, ClaimVerdict.VERIFIED),
        (ClaimKind.EXISTS, ClaimVerdict.CONTRADICTED),
        (ClaimKind.REFERS, ClaimVerdict.VERIFIED),
        (ClaimKind.CALLS, ClaimVerdict.VERIFIED),
        (ClaimKind.CALLS, ClaimVerdict.UNCHECKABLE),
    ]
    claims = [CheckedClaim(Claim(kind, "pay"), verdict) for kind, verdict in said]
    text = "`ask` is Not shown, and the test of `pay` is not shown."

    features = model_features(HeldCitations(text, (), checked=4, moved=1), 3, claims)

    assert features == ModelFeatures(citations=3, unshown=2, verified=1, contradicted=1, held=0.75)


def test_the_prompt_has_the_words_that_are_counted() -> None:
    """In its rule for the last pass, and where it asks for gaps."""
    for name in ("answer_system", "answer_gaps_text", "answer_gaps_tools"):
        assert NOT_SHOWN in (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").casefold()
