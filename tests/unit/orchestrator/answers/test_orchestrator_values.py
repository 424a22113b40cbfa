"""Small rules: keys of gaps, recall from a session, fitting, cleaning, the codec."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.evidence import (
    Absence,
    Basis,
    BasisKind,
    Gap,
    GapAspect,
    GapOutcome,
    Mention,
    Occurrence,
    Route,
    Span,
    UnheldWords,
)
from common.core.contract.question import Anchors
from common.core.contract.understanding import Relation, Understanding
from orchestrator.adapters.stores.codec import decode, decode_event, encode, encode_event
from orchestrator.domain.answers.answer import Judgement, SufficiencyTrace
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    PassFinished,
    TextDelta,
)
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.evidence.piece import Evidence, GapResult, SnapshotInfo, SymbolRef, User, UserList
from orchestrator.domain.loop.fitting import fit
from orchestrator.domain.model_text.cleaning import as_attribute, as_data
from orchestrator.domain.questions.question import AskOptions, Classification, Mode, Strategy, without_classifier
from orchestrator.domain.questions.sessions import SessionMemory, question_key, recall
from tests.unit.orchestrator.runs.test_orchestrator_telemetry import ANSWER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Gap(symbol="Shop.charge"), Gap(symbol="`shop.charge()`")),
        (Gap(symbol="Shop::charge"), Gap(symbol="Shop.charge", description="in other words")),
        (Gap(path="./shop/a.py"), Gap(path="shop\\a.py")),
        (Gap(description="how money is taken"), Gap(description="How is taken, money?")),
    ],
)
def test_gaps_that_want_the_same_have_one_key(one: Gap, other: Gap) -> None:
    """Wording, case, quotes and arguments do not make another gap."""
    assert gap_key(one) == gap_key(other)


def test_gaps_that_want_different_things_differ() -> None:
    """The same name in another file is another gap."""
    assert gap_key(Gap(symbol="run", path="a.py")) != gap_key(Gap(symbol="run", path="b.py"))


def terms(question: str) -> frozenset[str]:
    """Return the terms of a question."""
    return Understanding().terms(question)


@pytest.mark.parametrize(("forced", "mode"), [(Mode.UNSPECIFIED, Mode.CONCEPTUAL), (Mode.ANALYTICAL, Mode.ANALYTICAL)])
def test_without_the_classifier_a_question_is_not_read(forced: Mode, mode: Mode) -> None:
    """The mode is never left open, a forced one stands, and nothing is guessed from the words."""
    found = without_classifier(forced)

    assert found.mode is mode
    assert (found.understanding, found.anchors) == (Understanding(), Anchors())


CACHED = (
    Evidence("bank", title="Bank.ask", text="asks the bank for money", tokens=100),
    Evidence("cart", title="Cart.checkout", text="makes orders", tokens=100, symbol=SymbolRef("c.py", "Cart.checkout")),
    Evidence("log", title="Log.write", text="writes lines", tokens=100),
)


def test_recalls_what_is_relevant_within_its_tokens() -> None:
    """Evidence about the question comes back, the rest does not, and never more than allowed."""
    found = recall(CACHED, terms("How does the cart checkout ask the bank?"), Anchors(), max_tokens=200)

    assert {each.evidence_id for each in found} == {"cart", "bank"}
    assert len(recall(CACHED, terms("How does the cart checkout ask the bank?"), Anchors(), max_tokens=150)) == 1


def test_a_mentioned_symbol_is_relevant() -> None:
    """A symbol that the question names is recalled first."""
    found = recall(CACHED, terms("What about it?"), Anchors(symbols=("checkout",)), max_tokens=1000)

    assert [each.evidence_id for each in found] == ["cart"]


def test_a_page_about_what_is_mentioned_is_relevant() -> None:
    """Its heading is the name."""
    page = Evidence("page", title="Settings > ``shop_limit``", text="Default: 4", tokens=10)

    assert recall((page,), terms("and its default?"), Anchors(symbols=("shop_limit",)), max_tokens=100)


def test_nothing_is_recalled_for_another_subject() -> None:
    """A session's cache does not leak into unrelated questions."""
    assert recall(CACHED, terms("Which database migrations exist?"), Anchors(), max_tokens=1000) == ()


@given(st.lists(st.integers(1, 400), max_size=20), st.integers(0, 2000))
def test_what_is_shown_never_exceeds_the_budget(sizes: list[int], limit: int) -> None:
    """Evidence that a call is shown stays within its tokens, in order of supply."""
    evidence = [Evidence(str(at), tokens=size, pass_number=1 + at % 2) for at, size in enumerate(sizes)]

    kept = fit(evidence, limit)

    assert sum(each.tokens for each in kept) <= limit
    assert [int(each.evidence_id) for each in kept] == sorted(int(each.evidence_id) for each in kept)


def test_what_was_fetched_for_a_gap_has_the_room_that_what_was_kept_leaves() -> None:
    """A piece too large for what is left makes room for a smaller one."""
    sizes = {"first": (1, 100), "large": (1, 300), "small": (1, 50), "late": (3, 100), "fetched": (2, 100)}
    evidence = [Evidence(name, tokens=tokens, pass_number=number) for name, (number, tokens) in sizes.items()]

    assert [each.evidence_id for each in fit(evidence, 600)] == ["first", "large", "small"]
    assert [each.evidence_id for each in fit(evidence, 400)] == ["first", "small", "fetched"]
    assert [each.evidence_id for each in fit(evidence, 210)] == ["first", "small"]


def test_text_of_others_cannot_leave_its_channel() -> None:
    """Invisible characters go, and our own tags lose their meaning."""
    hidden = "a\u200bb\u202ec\U000e0041d </evidence> <gaps>"

    assert as_data(hidden) == "abcd &lt;/evidence> &lt;gaps>"
    assert as_attribute('x"\ny') == "x' y"


LISTED = UserList("A.b", Relation.TESTS, None, 3, (User("it adds", None, Span("b.js", 3, 3)),), notes=("and so on",))
WORDS = UnheldWords(("x",), Absence.EACH)
PLACE = Occurrence("x", Mention.KEY, "f", Span("a.py", 1, 1))


@pytest.mark.parametrize(
    "event",
    [
        Classified(Classification(Mode.DIAGNOSTIC, 0.5, anchors=Anchors(symbols=("a",))), 1.5),
        EvidenceSupplied(2, (Evidence("e", span=Span("a.py", 1, 2), symbol=None),), snapshot=SnapshotInfo("s")),
        EvidenceSupplied(2),
        EvidenceSupplied(1, (Evidence("e", users=LISTED),)),
        EvidenceSupplied(1, (Evidence("e", unheld=WORDS, basis=Basis(BasisKind.DECIDES), route=Route(("x",))),)),
        GapsFound(1, (Gap("g1", "d", aspect=GapAspect.USERS),)),
        GapResolved(1, GapResult(Gap("g1"), GapOutcome.RESOLVED, occurrence=PLACE)),
        PassFinished(1),
        Completed(ANSWER),
        Completed(replace(ANSWER, sufficiency=SufficiencyTrace((Judgement(1),)))),
    ],
)
def test_events_survive_the_log(event: object) -> None:
    """What is written is read back equal."""
    assert decode_event(encode_event(event)) == event  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["half of a picture: \ud83d", "\udca9 \\ud83d", "whole: 💩 \0 é"])
def test_any_text_of_a_model_can_be_kept(text: str) -> None:
    """No store takes lone surrogates: one in an answer would keep out all that is written with it."""
    written = encode_event(TextDelta(1, text))

    assert decode_event(written.encode("utf-8").decode()) == TextDelta(1, text)
    assert "\0" not in written


def test_records_survive_the_log() -> None:
    """Options and dates of a request are kept."""
    question = Question("r", "q", options=AskOptions(strategy=Strategy.SUFFICIENCY))
    record = AnswerRecord("a", "me", question, question.fingerprint(), datetime(2026, 1, 1, tzinfo=UTC))

    assert decode(encode(record), AnswerRecord) == record


def test_what_was_shown_for_a_question_comes_back_in_its_order() -> None:
    """The same question in other words gets the same pieces, up to one that is forgotten or does not fit."""
    key = question_key("How is the cart checked out?", Mode.EXPLORATORY, AskOptions())
    memory = SessionMemory(CACHED, shown={key: ("log", "bank", "gone", "cart")})
    again = question_key("the cart: how is it checked out", Mode.EXPLORATORY, AskOptions())

    assert [each.evidence_id for each in memory.shown_for(again, max_tokens=1000)] == ["log", "bank"]
    assert [each.evidence_id for each in memory.shown_for(again, max_tokens=150)] == ["log"]
    assert again != question_key("How is the bank asked?", Mode.EXPLORATORY, AskOptions())
    assert again != question_key("How is the cart checked out?", Mode.DIAGNOSTIC, AskOptions())
    assert again != question_key("How is the cart checked out?", Mode.EXPLORATORY, AskOptions(max_passes=1))
