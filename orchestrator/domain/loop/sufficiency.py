"""
The sufficiency strategy without its I/O: retrieve, gather a graph, let a judge name what is missing, answer once.

After GraphAnchor (arXiv 2601.16462): the graph of entities and triples anchors each judgement, and the judge either
finds the evidence sufficient or names the next sub-question.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.loop.actions import AskEngine, Classify, Finish, Judge, RetrieveFirst, RetrieveMore
from orchestrator.domain.loop.gap_loop import fetch_tokens_left

if TYPE_CHECKING:
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.loop.actions import Action, LoopRules, Situation


def next_action(state: AnswerState, rules: LoopRules, situation: Situation) -> Action:
    """
    Return what to do next. The engine is called once, when the judge is satisfied or no retrieval can follow.

    Raises:
        ValueError: in a phase that has no next action: before the start and after the end.
    """
    match state.phase:
        case Phase.OPENED:
            return Classify()
        case Phase.CLASSIFIED:
            return RetrieveFirst()
        case Phase.SUPPLIED:
            return Judge(state.retrievals, is_last=state.retrievals >= rules.max_retrievals)
        case Phase.JUDGED:
            if _stop_reason(state, rules, situation) is not None:
                return AskEngine(1, is_last=True)
            sub_question = state.judgements[-1].sub_question
            return RetrieveMore(state.retrievals + 1, sub_question, fetch_tokens_left(state, rules))
        case Phase.ANSWERING:
            return AskEngine(1, is_last=True)
        case Phase.ANSWERED:
            # The stop reason says why the search ended, so the time of the answer itself is not counted.
            before = replace(situation, seconds_left=situation.seconds_left + state.passes[-1].end.milliseconds / 1000)
            return Finish(_stop_reason(state, rules, before) or StopReason.TIME_SPENT)
    raise ValueError(f"nothing follows {state.phase.name} in the sufficiency loop")


def _stop_reason(state: AnswerState, rules: LoopRules, situation: Situation) -> StopReason | None:
    last = state.judgements[-1]
    if last.sufficient:
        return StopReason.SUFFICIENT
    if not last.sub_question:
        return StopReason.NOTHING_ASKED
    if last.sub_question in [each.sub_question for each in state.judgements[:-1]]:
        return StopReason.ALL_UNFINDABLE
    is_new = any(each.pass_number == state.retrievals for each in state.evidence)
    if state.retrievals > 1 and not is_new and rules.stop_without_new_evidence:
        return StopReason.NO_NEW_EVIDENCE
    if fetch_tokens_left(state, rules) < rules.min_fetch_tokens:
        return StopReason.BUDGET_SPENT
    if situation.seconds_left <= 0:
        return StopReason.TIME_SPENT
    return StopReason.PASSES_USED if state.retrievals >= rules.max_retrievals else None
