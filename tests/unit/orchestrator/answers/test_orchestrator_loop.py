"""The answer loop and the sufficiency loop as machines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.evidence import Gap, GapOutcome
from orchestrator.domain.answers import phases
from orchestrator.domain.answers.answer import Judgement, StopReason
from orchestrator.domain.answers.events import (
    Classified,
    Event,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    Judged,
    PassFinished,
    PassStarted,
    RetrievalProgress,
    Started,
    TextDelta,
    Warned,
)
from orchestrator.domain.answers.phases import IllegalTransition, Phase
from orchestrator.domain.answers.state import AnswerState, apply, fold
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.evidence.piece import ContextSource, Evidence, GapResult
from orchestrator.domain.loop import gap_loop as loop
from orchestrator.domain.loop import sufficiency
from orchestrator.domain.loop.actions import (
    AskEngine,
    Classify,
    FetchGaps,
    Finish,
    Judge,
    LoopRules,
    RetrieveFirst,
    RetrieveMore,
    Situation,
)
from orchestrator.domain.questions.question import Classification

RULES, THREE_RETRIEVALS, AT_EASE = LoopRules(), LoopRules(max_retrievals=3), Situation()
FIRST = (Started("a"), Classified(Classification()), EvidenceSupplied(1, (Evidence("e1", tokens=100, pass_number=1),)))


def one_pass(number: int, *gaps: Gap) -> tuple[Event, ...]:
    """Return the events of a pass that names these gaps."""
    found = (GapsFound(number, gaps),) if gaps else ()
    return (PassStarted(number), TextDelta(number, f"text {number}"), *found, PassFinished(number))


def fetched(number: int, *evidence: str, tokens: int = 100) -> EvidenceSupplied:
    """Return what a fetch brought for a pass."""
    pieces = tuple(Evidence(name, tokens=tokens, pass_number=number, source=ContextSource.GAPS) for name in evidence)
    return EvidenceSupplied(number, pieces)


def after(*events: object, rules: LoopRules = RULES, situation: Situation = AT_EASE) -> object:
    """Return the action that follows the first retrieval and these events."""
    return loop.next_action(fold((*FIRST, *events)), rules, situation)  # type: ignore[arg-type]


def test_begins_with_mode_then_evidence_then_the_engine() -> None:
    """Classification comes first, the full retrieval second, the first pass third."""
    actions = [loop.next_action(fold(FIRST[:count]), LoopRules(), Situation()) for count in (1, 2, 3)]

    assert actions == [Classify(), RetrieveFirst(), AskEngine(1, is_last=False)]


def test_a_pass_that_asks_nothing_ends_the_loop() -> None:
    """Nothing asked is the first stop reason."""
    assert after(*one_pass(1)) == Finish(StopReason.NOTHING_ASKED)


def test_fetches_what_a_pass_asked_for() -> None:
    """Gaps that nobody searched for are fetched within what the budget leaves."""
    gap = Gap("g1", symbol="charge")

    assert after(*one_pass(1, gap)) == FetchGaps(1, (gap,), 2000)


def test_stops_when_all_that_is_asked_is_known_to_be_unfindable() -> None:
    """A gap that was searched for in vain is not searched for again, however it is written."""
    first, again = Gap("g1", symbol="Shop.charge"), Gap("g2", symbol="shop.charge()")
    absent = GapResolved(1, GapResult(first, GapOutcome.ABSENT))

    action = after(*one_pass(1, first), absent, fetched(2, "e2"), *one_pass(2, again))

    assert action == Finish(StopReason.ALL_UNFINDABLE)


def test_what_the_session_remembers_counts_as_unfindable() -> None:
    """The memory of the session stops the loop without a search."""
    gap = Gap("g1", symbol="charge")

    action = after(*one_pass(1, gap), situation=Situation(remembered=frozenset({gap_key(gap)})))

    assert action == Finish(StopReason.ALL_UNFINDABLE)


def test_no_new_evidence_means_no_further_call_unless_switched() -> None:
    """A fetch that brought nothing ends the loop; the switch lets it go on."""
    events = (*one_pass(1, Gap("g1", symbol="x")), fetched(2))

    assert after(*events) == Finish(StopReason.NO_NEW_EVIDENCE)
    assert after(*events, rules=LoopRules(stop_without_new_evidence=False)) == AskEngine(2, is_last=False)


@pytest.mark.parametrize(
    ("rules", "seconds", "reason"),
    [
        (LoopRules(gap_total_tokens=10, max_passes=1), 0.0, StopReason.BUDGET_SPENT),
        (LoopRules(max_passes=1), 0.0, StopReason.TIME_SPENT),
        (LoopRules(max_passes=1), 9.0, StopReason.PASSES_USED),
    ],
)
def test_budget_comes_before_time_and_time_before_passes(rules: LoopRules, seconds: float, reason: StopReason) -> None:
    """When several bounds are reached at once, the order decides which one is told."""
    action = after(*one_pass(1, Gap("g1", symbol="x")), rules=rules, situation=Situation(seconds))

    assert action == Finish(reason)


def test_what_little_time_is_left_is_used() -> None:
    """Half a second is time for a fetch, and for the pass that shows what it brought."""
    gap, hurried = Gap("g1", symbol="charge"), Situation(0.5)

    assert after(*one_pass(1, gap), situation=hurried) == FetchGaps(1, (gap,), 2000)
    assert after(*one_pass(1, gap), fetched(2, "e2"), situation=hurried) == AskEngine(2, is_last=False)


def test_the_whole_budget_bounds_fetches_too() -> None:
    """What the first evidence, the system text, labels and outcomes take is not there for gaps."""
    rules = LoopRules(total_tokens=750, system_tokens=500, gap_total_tokens=2000)

    assert after(*one_pass(1, Gap("g1", symbol="x")), rules=rules) == FetchGaps(1, (Gap("g1", symbol="x"),), 65)


def test_what_was_fetched_for_gaps_is_not_there_for_later_ones() -> None:
    """All fetches of an answer share what there is for gaps."""
    gap = Gap("g2-1", symbol="y")
    events = (*one_pass(1, Gap("g1-1", symbol="x")), fetched(2, "e2", tokens=300), *one_pass(2, gap))

    assert after(*events) == FetchGaps(2, (gap,), 1700)


def test_evidence_that_was_paid_for_is_shown_even_if_it_was_the_last() -> None:
    """A fetch that used the rest of the budget is followed by the pass that it was for."""
    rules = LoopRules(gap_total_tokens=100)

    assert after(*one_pass(1, Gap("g1", symbol="x")), fetched(2, "e2"), rules=rules) == AskEngine(2, is_last=False)


def test_a_gap_that_is_asked_for_again_is_one() -> None:
    """What became of it last counts, in the place where it was first; the one before would still be called open."""
    first, again, other = Gap("g1-1", symbol="A.pay"), Gap("g2-1", symbol="a.pay()"), Gap("g1-2", symbol="x")
    absent, found = GapResult(other, GapOutcome.ABSENT), GapResult(again, GapOutcome.RESOLVED)
    first_pass = (*one_pass(1, first, other), GapResolved(1, GapResult(first)), GapResolved(1, absent))
    state = fold((*FIRST, *first_pass, fetched(2, "e2"), *one_pass(2, again), GapResolved(2, found)))

    assert state.results == (found, absent)


def test_a_cut_pass_is_asked_again() -> None:
    """After a cut in the middle of a pass the same pass comes, and its text begins anew."""
    events = (*FIRST, PassStarted(1), TextDelta(1, "half"))
    state = fold(events)

    assert loop.next_action(state, LoopRules(), Situation()) == AskEngine(1, is_last=False)
    assert apply(apply(state, PassStarted(1)), TextDelta(1, "whole")).text == "whole"


def test_a_later_pass_that_was_cut_is_the_one_asked_again() -> None:
    """It keeps its number, and is told again that it is the last one."""
    first = (*one_pass(1, Gap("g1", symbol="x")), fetched(2, "e2"))

    for passes, is_last in ((2, True), (3, False)):
        action = after(*first, PassStarted(2), TextDelta(2, "half"), rules=LoopRules(max_passes=passes))

        assert action == AskEngine(2, is_last=is_last)


def test_the_first_pass_comes_whatever_there_is() -> None:
    """A question is answered once, though nothing was found for it and its time is over."""
    nothing = (*FIRST[:2], EvidenceSupplied(1, ()))

    assert loop.next_action(fold(nothing), LoopRules(max_passes=1), Situation(0.0)) == AskEngine(1, is_last=True)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_what_was_fetched_when_the_time_is_over_is_asked_nothing_more(seconds: float) -> None:
    """New evidence starts a pass only while there is time for one."""
    events = (*one_pass(1, Gap("g1", symbol="x")), fetched(2, "e2"))

    assert after(*events, situation=Situation(seconds)) == Finish(StopReason.TIME_SPENT)


def test_what_is_left_is_fetched_down_to_the_least_that_is_worth_it() -> None:
    """As many tokens as a fetch must have are enough for one, one less are none."""
    gap = Gap("g1", symbol="x")

    assert after(*one_pass(1, gap), rules=LoopRules(gap_total_tokens=32)) == FetchGaps(1, (gap,), 32)
    assert after(*one_pass(1, gap), rules=LoopRules(gap_total_tokens=31)) == Finish(StopReason.BUDGET_SPENT)


def test_a_later_text_replaces_the_earlier_one() -> None:
    """The state's text is that of the last pass."""
    state = fold((*FIRST, *one_pass(1, Gap("g", symbol="x")), fetched(2, "e2"), *one_pass(2)))

    assert state.text == "text 2"


@pytest.mark.parametrize(
    ("events", "wrong"),
    [
        ((), TextDelta(1, "x")),
        (FIRST[:1], PassStarted(1)),
        (FIRST, TextDelta(1, "x")),
        (FIRST, Started("b")),
        ((), Warned("x")),
    ],
)
def test_illegal_transitions_raise(events: tuple[object, ...], wrong: object) -> None:
    """An event that may not come now is a defect, and is said to be one."""
    with pytest.raises(IllegalTransition):
        apply(fold(events), wrong)  # type: ignore[arg-type]


@given(st.data())
def test_every_legal_run_stops_within_its_passes(data: st.DataObject) -> None:
    """Whatever engine and retriever do, the loop ends after at most max_passes calls, and never fetches for nothing."""
    rules = LoopRules(
        max_passes=data.draw(st.integers(1, 5)),
        gap_total_tokens=data.draw(st.sampled_from([0, 50, 300, 2000])),
        stop_without_new_evidence=data.draw(st.booleans()),
    )
    state, calls, made = fold(FIRST), 0, 0
    for _ in range(100):
        action = loop.next_action(state, rules, Situation(data.draw(st.sampled_from([-1.0, 5.0]))))
        match action:
            case AskEngine():
                calls += 1
                names = data.draw(st.lists(st.sampled_from("abcd"), max_size=3, unique=True))
                for event in one_pass(action.pass_number, *(Gap(f"g{calls}{each}", symbol=each) for each in names)):
                    state = apply(state, event)
            case FetchGaps():
                assert action.tokens > 0
                for gap in action.gaps:
                    outcome = data.draw(st.sampled_from([GapOutcome.RESOLVED, GapOutcome.ABSENT]))
                    state = apply(state, GapResolved(action.pass_number, GapResult(gap, outcome)))
                count = data.draw(st.integers(0, 2))
                made += count
                new = fetched(action.pass_number + 1, *(f"n{made - each}" for each in range(count)), tokens=40)
                state = apply(apply(state, RetrievalProgress(action.pass_number + 1)), new)
            case Finish():
                break
    else:
        pytest.fail("the loop did not stop")

    assert 1 <= calls <= rules.max_passes
    assert state.finished_passes == calls


@given(st.lists(st.sampled_from(list(phases.TRANSITIONS)), max_size=30))
def test_only_what_the_table_lists_is_legal(steps: list[tuple[Phase, type]]) -> None:
    """From each phase exactly the events of its rows, and warnings, can come."""
    for phase, kind in steps:
        assert phases.TRANSITIONS[phase, kind] in Phase


def judged(iteration: int, sub_question: str = "", *, sufficient: bool = False) -> Judged:
    """Return a judgement."""
    return Judged(Judgement(iteration, sufficient, "why", sub_question))


def sufficiency_after(*events: object, rules: LoopRules = THREE_RETRIEVALS) -> object:
    """Return the action of the second strategy after the first retrieval and these events."""
    return sufficiency.next_action(fold((*FIRST, *events)), rules, Situation())  # type: ignore[arg-type]


def test_sufficiency_judges_then_answers_once() -> None:
    """A satisfied judge leads to the only call of the engine, and to the end."""
    done = (judged(1, sufficient=True), *one_pass(1))

    assert sufficiency_after() == Judge(1, is_last=False)
    assert sufficiency_after(judged(1, sufficient=True)) == AskEngine(1, is_last=True)
    assert sufficiency_after(*done) == Finish(StopReason.SUFFICIENT)


def test_sufficiency_begins_as_the_answer_loop_does() -> None:
    """Mode and the full retrieval come first; the one pass is begun anew if it was cut."""
    starts = [sufficiency.next_action(fold(FIRST[:count]), RULES, AT_EASE) for count in (1, 2)]

    assert starts == [Classify(), RetrieveFirst()]
    cut = sufficiency_after(judged(1, sufficient=True), PassStarted(1), TextDelta(1, "half"))
    assert cut == AskEngine(1, is_last=True)


@pytest.mark.parametrize(("left", "reason"), [(-1.0, StopReason.PASSES_USED), (-6.0, StopReason.TIME_SPENT)])
def test_sufficiency_ends_for_what_ended_its_search(left: float, reason: StopReason) -> None:
    """The time that the answer took, which came after it, is no reason why no more was looked at."""
    events = (*FIRST, judged(1, "x?"), PassStarted(1), PassFinished(1, milliseconds=5000.0))

    assert sufficiency.next_action(fold(events), LoopRules(max_retrievals=1), Situation(left)) == Finish(reason)


def test_sufficiency_searches_for_the_sub_question() -> None:
    """A judge who misses something names the next search."""
    assert sufficiency_after(judged(1, "where is x?")) == RetrieveMore(2, "where is x?", 2000)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((judged(1, "x?"), fetched(2, "e2"), judged(2, "x?")), StopReason.ALL_UNFINDABLE),
        ((judged(1, "x?"), fetched(2), judged(2, "y?")), StopReason.NO_NEW_EVIDENCE),
        (
            (judged(1, "x?"), fetched(2, "e2"), judged(2, "y?"), fetched(3, "e3"), judged(3, "z?")),
            StopReason.PASSES_USED,
        ),
        ((judged(1),), StopReason.NOTHING_ASKED),
    ],
)
def test_sufficiency_stops(events: tuple[object, ...], reason: StopReason) -> None:
    """A repeated sub-question, an empty search, or the last retrieval lead to the answer, with that reason."""
    assert sufficiency_after(*events) == AskEngine(1, is_last=True)
    assert sufficiency_after(*events, *one_pass(1)) == Finish(reason)


@pytest.mark.parametrize(
    ("rules", "seconds", "reason"),
    [
        (LoopRules(max_retrievals=1, gap_total_tokens=31), 0.0, StopReason.BUDGET_SPENT),
        (LoopRules(max_retrievals=1), 0.0, StopReason.TIME_SPENT),
        (LoopRules(max_retrievals=1), 9.0, StopReason.PASSES_USED),
    ],
)
def test_sufficiency_keeps_the_order_of_its_bounds(rules: LoopRules, seconds: float, reason: StopReason) -> None:
    """Budget comes before time and time before retrievals, though the judge asks for more."""
    asked = (*FIRST, judged(1, "x?"))

    assert sufficiency.next_action(fold(asked), rules, Situation(seconds)) == AskEngine(1, is_last=True)
    assert sufficiency.next_action(fold((*asked, *one_pass(1))), rules, Situation(seconds)) == Finish(reason)


def test_sufficiency_searches_on_for_nothing_new_where_it_is_told_to() -> None:
    """The switch that lets the answer loop go on lets this one go on, too."""
    rules = LoopRules(max_retrievals=3, stop_without_new_evidence=False)

    assert sufficiency_after(judged(1, "x?"), fetched(2), judged(2, "y?"), rules=rules) == RetrieveMore(3, "y?", 2000)


def test_sufficiency_tells_the_judge_which_judgement_is_the_last() -> None:
    """After it no retrieval can follow."""
    again = (judged(1, "x?"), fetched(2, "e2"))

    assert sufficiency_after(*again, rules=LoopRules(max_retrievals=3)) == Judge(2, is_last=False)
    assert sufficiency_after(*again, rules=LoopRules(max_retrievals=2)) == Judge(2, is_last=True)


def test_sufficiency_searches_on_after_a_question_that_found_nothing() -> None:
    """Only a sub-question that brings nothing new ends the search."""
    events = (*FIRST[:2], EvidenceSupplied(1, ()), judged(1, "x?"))

    assert sufficiency.next_action(fold(events), THREE_RETRIEVALS, AT_EASE) == RetrieveMore(2, "x?", 2000)


def test_nothing_follows_the_end_or_precedes_the_start() -> None:
    """Before the first event there is no next action."""
    with pytest.raises(ValueError, match="NEW"):
        loop.next_action(AnswerState(), LoopRules(), Situation())
