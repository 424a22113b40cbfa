"""What counts as a difference between two runs of one answer, and how it is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from common.core.contract.evidence import CheckedClaim, Claim, ClaimKind, ClaimVerdict, Gap, GapOutcome, Span
from common.core.contract.usage import TokenUsage
from orchestrator.domain.answers.answer import Judgement
from orchestrator.domain.answers.comparison import Difference, compare, settle
from orchestrator.domain.answers.describing import describe
from orchestrator.domain.answers.events import (
    Classified,
    Event,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    Judged,
    NumberedEvent,
    PassFinished,
    PassStarted,
    RetrievalProgress,
    Started,
    TextDelta,
    Warned,
)
from orchestrator.domain.evidence.piece import BudgetUse, Citation, ContextSource, Evidence, GapResult, SymbolRef
from orchestrator.domain.questions.question import Classification, Mode

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def piece(name: str, line: int = 1, score: float = 0.5) -> Evidence:
    symbol = SymbolRef(f"{name}.py", name, start_line=line, end_line=line + 3)
    return Evidence(name, title=name, span=symbol.span, symbol=symbol, text="pass", score=score)


EVENTS: tuple[Event, ...] = (
    Started("ans_1", "ses_1", "snap-1", "shop", "anthropic", 3),
    Classified(Classification(Mode.CONCEPTUAL), 2.0),
    RetrievalProgress(1, "search", 2, 80, 5.0),
    EvidenceSupplied(1, (piece("a"), piece("b"))),
    PassStarted(1),
    TextDelta(1, "It calls "),
    TextDelta(1, "a [1]."),
    GapsFound(1, (Gap("g1-1", symbol="c"),)),
    PassFinished(1, TokenUsage(100, 20), 30.0, "anthropic", "m"),
    GapResolved(1, GapResult(Gap("g1-1", symbol="c"), GapOutcome.RESOLVED)),
)


def numbered(*events: Event, step: int = 1) -> tuple[NumberedEvent, ...]:
    return tuple(NumberedEvent(at * step, BEGAN + timedelta(seconds=at), each) for at, each in enumerate(events, 1))


def with_changed(at: int, event: Event) -> tuple[NumberedEvent, ...]:
    return numbered(*EVENTS[:at], event, *EVENTS[at + 1 :])


def only(differences: tuple[Difference, ...]) -> Difference:
    [difference] = differences
    return difference


def test_times_costs_scores_and_numbers_are_no_difference() -> None:
    """Neither is how the text came in pieces."""
    again = numbered(
        EVENTS[0],
        Classified(Classification(Mode.CONCEPTUAL), 9.0),
        RetrievalProgress(1, "search", 2, 80, 50.0),
        EvidenceSupplied(1, (piece("a", score=0.1), piece("b", score=0.9)), milliseconds=70.0),
        EVENTS[4],
        TextDelta(1, "It calls a"),
        TextDelta(1, " [1]."),
        EVENTS[7],
        PassFinished(1, TokenUsage(7, 7), 1.0, "anthropic", "m", heard="It calls a [E1]."),
        EVENTS[9],
        step=3,
    )

    assert compare(numbered(*EVENTS), again) == ()


def test_another_piece_of_evidence_is_named_by_its_place() -> None:
    """The piece that stands there now, not the field in which the two differ."""
    found = only(compare(numbered(*EVENTS), with_changed(3, EvidenceSupplied(1, (piece("a"), piece("c", 7))))))

    assert found == Difference(EvidenceSupplied, 1, 4, "evidence 2", "b.py:1-4 b", "c.py:7-10 c")


def test_the_same_piece_that_changed_is_named_by_what_changed() -> None:
    """Its place is the same, so that would not tell."""
    cut = replace(piece("b"), text="pa", truncated_lines=3)
    found = only(compare(numbered(*EVENTS), with_changed(3, EvidenceSupplied(1, (piece("a"), cut)))))

    assert (found.field, found.then, found.now) == ("evidence 2, text", "pass", "pa")


def test_a_piece_that_is_missing_or_new_has_nothing_on_the_other_side() -> None:
    """Whichever side that is."""
    less, more = with_changed(3, EvidenceSupplied(1, (piece("a"),))), numbered(*EVENTS)

    assert only(compare(more, less)).now == ""
    assert (only(compare(less, more)).then, only(compare(less, more)).now) == ("", "b.py:1-4 b")


def test_texts_are_told_around_the_place_where_they_part() -> None:
    """Of a long text, what a reader needs to see it."""
    before = "The cart is checked out, and then a very long story follows. " * 3
    changed = compare(
        with_changed(5, TextDelta(1, before + "It calls ")), with_changed(5, TextDelta(1, before + "No: "))
    )
    found = only(changed)

    assert (found.kind, found.pass_number, found.sequence, found.field) == (TextDelta, 1, 6, "text")
    assert found.then.startswith("…")
    assert found.then.endswith("It calls a [1].")
    assert found.now.endswith("No: a [1].")


def test_one_difference_of_each_kind_in_the_order_of_the_answer() -> None:
    """The first is where it began."""
    changed = numbered(
        *EVENTS[:3],
        EvidenceSupplied(1, (piece("c"), piece("d"))),
        EVENTS[4],
        TextDelta(1, "It does not."),
        PassFinished(1, engine="evidence"),
    )

    found = compare(numbered(*EVENTS), changed)

    assert [each.kind for each in found] == [EvidenceSupplied, TextDelta, GapsFound, PassFinished, GapResolved]
    assert [(each.then, each.now) for each in found if each.kind is GapResolved] == [
        ("pass number 1, result c: resolved", "")
    ]


def test_what_came_only_now_has_no_number_of_then() -> None:
    """It is told as a whole."""
    found = only(compare(numbered(*EVENTS), numbered(*EVENTS, Warned("degraded_gaps", "no gaps today"))))

    assert found == Difference(Warned, 0, 0, "", "", "code degraded_gaps, message no gaps today")


def test_the_same_events_in_another_order_are_different() -> None:
    """The first that stands elsewhere is named, with what stands there now."""
    warned = Warned("question_cut", "cut")
    found = only(compare(numbered(*EVENTS, warned), numbered(EVENTS[0], warned, *EVENTS[1:])))

    assert found == Difference(Classified, 0, 2, "order", "classified", "warned")


def test_a_pass_that_was_begun_anew_counts_as_it_ended() -> None:
    """What was shown of a try that was cut is void; a warning between the tries is not."""
    cut = numbered(*EVENTS[:5], TextDelta(1, "Half a"), GapsFound(1, (Gap("g1-1", symbol="x"),)), *EVENTS[4:])
    failed = numbered(*EVENTS[:5], TextDelta(1, "Half a"), Warned("degraded_model", "gone"), *EVENTS[4:])

    assert compare(cut, numbered(*EVENTS)) == ()
    assert [each.kind for each in compare(failed, numbered(*EVENTS))] == [Warned]


def test_what_was_told_twice_counts_once() -> None:
    """A stage, an outcome or a warning that was told again after a cut."""
    warned = Warned("degraded_vectors", "away")
    twice = numbered(*EVENTS[:3], warned, EVENTS[2], warned, *EVENTS[3:], EVENTS[9])

    assert compare(twice, numbered(*EVENTS[:3], warned, *EVENTS[3:])) == ()


def test_texts_of_passes_are_apart() -> None:
    """Each pass has one text."""
    settled = settle(numbered(*EVENTS, PassStarted(2), TextDelta(2, "More"), TextDelta(2, " text.")))

    assert [each.event for each in settled if isinstance(each.event, TextDelta)] == [
        TextDelta(1, "It calls a [1]."),
        TextDelta(2, "More text."),
    ]


def test_fields_of_what_an_event_is_about_are_told_without_it() -> None:
    """A judgement's reasoning is told as such."""
    then, now = (Judged(Judgement(1, reasoning=text)) for text in ("enough", "too little"))
    found = only(compare(numbered(*EVENTS, then), numbered(*EVENTS, now)))

    assert (found.field, found.then, found.now) == ("reasoning", "enough", "too little")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, ""),
        ((), ""),
        (False, "False"),
        (Mode.DIAGNOSTIC, "diagnostic"),
        (GapOutcome.OUT_OF_COVERAGE, "out of coverage"),
        (Evidence("e1", title="Overview"), "Overview"),
        (Span("a.py"), "a.py"),
        (Citation(2, Span("a.py", 3, 9)), "[2] a.py:3-9"),
        (Gap(description="how money is taken"), "how money is taken"),
        (CheckedClaim(Claim(ClaimKind.CALLS, "f", "g"), ClaimVerdict.VERIFIED), "f calls g: verified"),
        (BudgetUse(ContextSource.DOCS, 500, 477), "docs: 477 of 500 tokens"),
        (("a", "b", "c", "d"), "a, b, c and 1 more"),
        ("one\n two  three", "one two three"),
    ],
)
def test_values_have_names(value: object, told: str) -> None:
    """Each as a person would say it."""
    assert describe(value) == told
