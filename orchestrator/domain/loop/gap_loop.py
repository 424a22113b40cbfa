"""The answer loop without its I/O: answer, notice what is missing, fetch exactly that, answer again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.loop.actions import AskEngine, Classify, FetchGaps, Finish, RetrieveFirst

if TYPE_CHECKING:
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.loop.actions import Action, LoopRules, Situation


# Share of a fetch that is text; the rest is for labels and places of the new pieces.
_TEXT_SHARE = 0.85
# Tokens of the whole budget that are reserved for the outcomes of the requests, which the next pass is shown.
_TOLD_SHARE = 0.06


def next_action(state: AnswerState, rules: LoopRules, situation: Situation) -> Action:
    """
    Return what to do next; the first stop reason that holds, in the order of `StopReason`, ends the loop.

    Budget, time and passes are checked before a fetch, too: it is useless without a later pass.

    Raises:
        ValueError: in a phase that has no next action: before the start and after the end.
    """
    match state.phase:
        case Phase.OPENED:
            return Classify()
        case Phase.CLASSIFIED:
            return RetrieveFirst()
        case Phase.SUPPLIED:
            return _after_supply(state, rules, situation)
        case Phase.ANSWERING:
            return _ask(len(state.passes), rules)
        case Phase.ANSWERED:
            return _after_pass(state, rules, situation)
    raise ValueError(f"nothing follows {state.phase.name} in the answer loop")


def fetch_tokens_left(state: AnswerState, rules: LoopRules) -> int:
    """
    Return the tokens that later fetches may bring: the smaller remainder of the gap and the whole budget.

    Negative if more was spent than budgeted.
    """
    of_gaps = rules.gap_total_tokens - state.gap_tokens
    of_all = rules.total_tokens - rules.system_tokens - sum(each.prompt_tokens for each in state.needed)
    room = int((of_all - _TOLD_SHARE * rules.total_tokens) * _TEXT_SHARE)
    return min(of_gaps, room if of_all > 0 else of_all)


def _after_supply(state: AnswerState, rules: LoopRules, situation: Situation) -> Action:
    done = state.finished_passes
    if done == 0:
        return _ask(1, rules)
    is_new = any(each.pass_number == done + 1 for each in state.evidence)
    if not is_new and rules.stop_without_new_evidence:
        return _end(state, situation, StopReason.NO_NEW_EVIDENCE)
    if situation.seconds_left <= 0:
        return _end(state, situation, StopReason.TIME_SPENT)
    return _ask(done + 1, rules)


def _after_pass(state: AnswerState, rules: LoopRules, situation: Situation) -> Action:
    if state.corrections:
        return _ask(state.finished_passes + 1, rules)
    asked = state.passes[-1].gaps
    if not asked:
        return _end(state, situation, StopReason.NOTHING_ASKED)
    known = state.unfindable() | situation.remembered
    fresh = tuple(gap for gap in asked if gap_key(gap) not in known)
    if not fresh:
        return _end(state, situation, StopReason.ALL_UNFINDABLE)
    tokens = fetch_tokens_left(state, rules)
    if tokens < rules.min_fetch_tokens:
        return _end(state, situation, StopReason.BUDGET_SPENT)
    if situation.seconds_left <= 0:
        return _end(state, situation, StopReason.TIME_SPENT)
    if state.finished_passes >= rules.max_passes:
        return _end(state, situation, StopReason.PASSES_USED)
    return FetchGaps(state.finished_passes, fresh, tokens)


def _end(state: AnswerState, situation: Situation, reason: StopReason) -> Action:
    """Return the action that ends the loop: another pass if the last one only requested gaps and wrote no answer."""
    last = state.passes[-1]
    if last.text.strip() or not last.gaps:
        return Finish(reason)
    return AskEngine(last.number + 1, is_last=True, without_model=situation.seconds_left <= 0)


def _ask(pass_number: int, rules: LoopRules) -> AskEngine:
    return AskEngine(pass_number, is_last=pass_number >= rules.max_passes)
