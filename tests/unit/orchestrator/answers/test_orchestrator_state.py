"""What an answer's state is after its events: each thing once, whatever was begun anew or searched again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Gap, GapOutcome, LineRange, Occurrence, Setting, Span
from common.core.contract.usage import TokenUsage
from orchestrator.domain.answers.answer import Judgement, PassSummary
from orchestrator.domain.answers.events import (
    Classified,
    Event,
    EvidenceLines,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    Judged,
    PassFinished,
    PassStarted,
    Started,
    TextDelta,
    Warned,
)
from orchestrator.domain.answers.state import AnswerState, apply, fold
from orchestrator.domain.evidence.piece import (
    ContextSource,
    Evidence,
    EvidenceKind,
    GapResult,
    SearchQuality,
    SymbolKind,
    SymbolRef,
    Triple,
)
from orchestrator.domain.questions.question import Classification

CARD = SymbolRef("a.py", "card")
LIMIT = Setting(("limit",), "Cart.limit", "5", 3)


def after(*events: Event) -> AnswerState:
    """Return the state after the first evidence and these events."""
    pieces = (Evidence("e1", symbol=CARD, setting=LIMIT, pass_number=1),)
    first = EvidenceSupplied(1, pieces, quality=SearchQuality(("a",), ("x: no",), 5, 1))
    return fold((Started("ans"), Classified(Classification()), first, *events))


def finished(number: int, *, is_cut: bool = False) -> PassFinished:
    """Return the end of a pass."""
    return PassFinished(number, TokenUsage(10, 2), 7.0, f"engine {number}", f"model {number}", is_cut=is_cut)


def test_a_pass_that_is_begun_anew_is_one_pass() -> None:
    """What it wrote and asked for before it was cut is void; those before it stand."""
    state = after(
        *(PassStarted(1), GapsFound(1, (Gap("g1-1", symbol="x"),)), finished(1)),
        EvidenceSupplied(2, tuple(Evidence(name, pass_number=2) for name in ("e2", "e3"))),
        *(PassStarted(2), TextDelta(2, "half"), GapsFound(2, (Gap("g2-1", symbol="y"),))),
        *(PassStarted(2), TextDelta(2, "whole"), finished(2, is_cut=True)),
    )

    assert [each.summary() for each in state.passes] == [
        PassSummary(1, 1, 1, TokenUsage(10, 2), 7.0),
        PassSummary(2, 2, 0, TokenUsage(10, 2), 7.0),
    ]
    assert (state.text, state.finished_passes, state.evidence_ids) == ("whole", 2, ("e1", "e2", "e3"))
    end = state.passes[-1].end
    assert (end.engine, end.model, end.is_cut, state.usage) == (
        "engine 2",
        "model 2",
        True,
        TokenUsage(20, 4),
    )


def test_what_is_found_is_still_open_until_a_pass_is_shown_it() -> None:
    """When the budget has no room for anything of it, and when it comes too late; shown in any way is shown."""
    gaps = {name: Gap(f"g1-{name}", symbol=name) for name in ("before", "late", "roomless", "card", "LIMIT", "gone")}
    outcome = {
        "before": GapResult(gaps["before"], GapOutcome.RESOLVED, evidence_ids=("e1",)),
        "late": GapResult(gaps["late"], GapOutcome.RESOLVED, evidence_ids=("e2",)),
        "roomless": GapResult(gaps["roomless"], GapOutcome.RESOLVED, "a.py:1; the budget has no room for it"),
        "card": GapResult(gaps["card"], GapOutcome.RESOLVED, candidates=(CARD,)),
        "LIMIT": GapResult(gaps["LIMIT"], GapOutcome.ABSENT),
        "gone": GapResult(gaps["gone"], GapOutcome.ABSENT),
    }
    fetched = after(
        *(PassStarted(1), GapsFound(1, tuple(gaps.values())), finished(1)),
        *(GapResolved(1, each) for each in outcome.values()),
        EvidenceSupplied(2, (Evidence("e2", pass_number=2),)),
    )
    told = apply(apply(fetched, PassStarted(2)), finished(2))

    assert {each.gap.symbol: each.outcome for each in fetched.told_results()} == {
        "before": GapOutcome.RESOLVED,
        "late": GapOutcome.UNSPECIFIED,
        "roomless": GapOutcome.UNSPECIFIED,
        "card": GapOutcome.RESOLVED,
        "LIMIT": GapOutcome.RESOLVED,
        "gone": GapOutcome.ABSENT,
    }
    assert [each.outcome for each in told.told_results()][1:3] == [GapOutcome.RESOLVED, GapOutcome.UNSPECIFIED]
    assert {each.outcome for each in fetched.results} == {GapOutcome.RESOLVED, GapOutcome.ABSENT}


@pytest.mark.parametrize(
    ("result", "is_open"),
    [
        (GapResult(Gap("g", symbol="C.f"), candidates=(SymbolRef("a.py", "C.f", SymbolKind.METHOD, 12, 14),)), False),
        (GapResult(Gap("g", symbol="C.g"), candidates=(SymbolRef("a.py", "C.g", SymbolKind.METHOD, 21, 24),)), True),
        (GapResult(Gap("g", path="a.py", start_line=18, end_line=30)), False),
        (GapResult(Gap("g", path="b.py", start_line=18, end_line=30)), True),
        (GapResult(Gap("g", symbol="x"), occurrence=Occurrence("x", place=Span("a.py", 20, 20))), False),
    ],
)
def test_what_was_found_among_lines_that_are_shown_is_not_open(result: GapResult, is_open: bool) -> None:
    """A method of a class that is shown brings no evidence of its own."""
    shown = Evidence("e2", EvidenceKind.SOURCE, span=Span("a.py", 10, 20), lines=(LineRange(10, 20),), pass_number=2)
    fetched = after(
        *(PassStarted(1), GapsFound(1, (result.gap,)), finished(1)),
        GapResolved(1, replace(result, outcome=GapOutcome.RESOLVED)),
        EvidenceSupplied(2, (shown,)),
        *(PassStarted(2), finished(2)),
    )

    assert [each.outcome is GapOutcome.UNSPECIFIED for each in fetched.told_results()] == [is_open]


def test_what_a_pass_does_not_need_is_left_out_until_it_is_supplied_again() -> None:
    """Its tokens are free again; what was asked for again is needed from then on."""
    dropping = replace(finished(1), unneeded=("e1",))
    state = after(PassStarted(1), GapsFound(1, (Gap("g1-1", symbol="x"),)), dropping)
    more = apply(state, EvidenceSupplied(2, (Evidence("e2", pass_number=2),)))
    again = apply(state, EvidenceSupplied(2, (Evidence("e2", pass_number=2), Evidence("e1", pass_number=2))))

    assert (state.evidence_ids, state.needed) == (("e1",), ())
    assert [each.evidence_id for each in more.needed] == ["e2"]
    assert again.evidence_ids == ("e2", "e1")
    assert again.needed == again.evidence


def test_lines_that_a_pass_does_not_need_are_left_out_until_they_are_supplied_again() -> None:
    """The rest of the piece stays; the whole is supplied anew, and counts as needed then."""
    piece = Evidence(
        "e1",
        span=Span("a.py", 1, 4),
        text="a\nb\nc\nd\n",
        tokens=8,
        source=ContextSource.GAPS,
        lines=(LineRange(1, 4),),
        pass_number=1,
    )
    started = replace(after(), evidence=(piece,))
    for event in (
        PassStarted(1),
        GapsFound(1, (Gap("g1-1", symbol="x"),)),
        replace(finished(1), unneeded_lines=(EvidenceLines("e1", 2, 4),)),
    ):
        started = apply(started, event)
    again = apply(started, EvidenceSupplied(2, (replace(piece, pass_number=2),)))

    assert [(each.evidence_id, each.text) for each in started.needed] == [("e1", "a\n...\n")]
    assert (started.whole_ids, started.labelled) == ((), (piece,))
    assert started.gap_tokens < again.gap_tokens
    assert (again.whole_ids, [each.text for each in again.needed]) == (("e1",), [piece.text])


def test_searches_add_up() -> None:
    """What ran or was skipped is told once; what was found and used is summed."""
    state = after(
        *(PassStarted(1), finished(1)),
        EvidenceSupplied(2, quality=SearchQuality(("b", "a"), ("x: no", "y: no"), 4, 2), milliseconds=3.0),
        *(PassStarted(2), finished(2)),
        EvidenceSupplied(3, milliseconds=4.0),
    )

    assert state.quality == SearchQuality(("a", "b"), ("x: no", "y: no"), 9, 3)
    assert (state.retrievals, state.retrieval_ms) == (3, 7.0)


def test_judgements_add_up() -> None:
    """The graph grows with each search, and has nothing twice."""
    one, two = Triple("a", "calls", "b"), Triple("b", "calls", "c")
    state = after(
        Judged(Judgement(1, sub_question="c?"), ("a", "b"), (one,)),
        EvidenceSupplied(2),
        Judged(Judgement(2, sufficient=True), ("b", "c"), (one, two)),
    )

    assert [each.iteration for each in state.judgements] == [1, 2]
    assert (state.entities, state.triples) == (("a", "b", "c"), (one, two))


def test_only_what_runs_in_a_lesser_form_is_degraded() -> None:
    """Other warnings are no part, and a part that fails twice is one."""
    codes = ("session_expired", "degraded_gaps", "text_cut", "degraded_model", "degraded_gaps")

    assert after(*(Warned(code) for code in codes)).degraded == ("gaps", "model")
