"""Asks the judge of the sufficiency strategy whether evidence and graph suffice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.errors import AppError, ModelUnavailable
from orchestrator.domain.events import Judged, Warned
from orchestrator.domain.graph import gather

if TYPE_CHECKING:
    from orchestrator.domain.actions import Judge
    from orchestrator.domain.references import Reference
    from orchestrator.ports import CodeIndex, Rollout, SufficiencyJudge
    from orchestrator.usecases.answering.context import Answering


class Judging:
    """
    Gathers the graph of what a retrieval brought, then asks the judge; the fallback judges when its model fails.

    Args:
        index: Knows the edges.
        judge: Asked first.
        fallback: Needs no model.
        rollout: Tells which answers may ask the first judge.
    """

    def __init__(self, index: CodeIndex, judge: SufficiencyJudge, fallback: SufficiencyJudge, rollout: Rollout) -> None:
        self._index = index
        self._judge = judge
        self._fallback = fallback
        self._rollout = rollout

    async def judge(self, answering: Answering, action: Judge) -> None:
        """Emit the judgement with the entities and triples that are new."""
        references = await self._references(answering)
        state = answering.state
        entities, triples = gather(state.evidence, references, state.triples)
        fresh = tuple(each for each in entities if each not in state.entities)
        judge = self._judge if self._rollout.admits(answering.record.question.session_id) else self._fallback
        try:
            judgement = await judge.judge(state, answering.question, references, is_last=action.is_last)
        except ModelUnavailable as error:
            await answering.emit(Warned("degraded_judge", f"{error.message}; rules judge instead", error.message))
            judgement = await self._fallback.judge(state, answering.question, references, is_last=action.is_last)
        await answering.emit(Judged(judgement, fresh, triples))

    async def _references(self, answering: Answering) -> tuple[Reference, ...]:
        symbols = tuple(each.symbol for each in answering.state.evidence if each.symbol)
        if not symbols or answering.options.switches.without_call_graph:
            return ()
        try:
            return await self._index.references(answering.pin, symbols)
        except AppError:
            return ()
