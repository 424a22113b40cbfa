"""Asks the judge of the sufficiency strategy whether evidence and graph suffice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import AppError, ModelUnavailable
from orchestrator.domain.answers.events import Judged, Warned
from orchestrator.domain.loop.graph import gather
from orchestrator.domain.questions.question import Mode

if TYPE_CHECKING:
    from orchestrator.domain.loop.actions import Judge
    from orchestrator.domain.loop.references import Reference
    from orchestrator.domain.questions.question import Classification
    from orchestrator.ports import Classifier, CodeIndex, KillSwitch, SufficiencyJudge
    from orchestrator.usecases.answering.context import Answering


class Judging:
    """
    Adds what a retrieval found to the graph, then asks the judge; if its model fails, the fallback judges.

    Args:
        index: Returns the references between symbols.
        judge: Judge that is asked first.
        fallback: Judge that needs no model.
        kill_switch: While it is on, only the fallback judges.
        classifier: Classifies the sub-questions.
    """

    def __init__(
        self,
        index: CodeIndex,
        judge: SufficiencyJudge,
        fallback: SufficiencyJudge,
        kill_switch: KillSwitch,
        classifier: Classifier,
    ) -> None:
        self._index = index
        self._judge = judge
        self._fallback = fallback
        self._kill_switch = kill_switch
        self._classifier = classifier

    async def judge(self, answering: Answering, action: Judge) -> None:
        """Emit the judgement with the new entities and triples, which the judge also sees in the graph."""
        references = await self._references(answering)
        state = answering.state
        entities, triples = gather(state.evidence, references, state.triples)
        fresh = tuple(each for each in entities if each not in state.entities)
        state = replace(state, entities=(*state.entities, *fresh), triples=(*state.triples, *triples))
        judge = self._fallback if self._kill_switch.is_stopped() else self._judge
        try:
            judgement = await judge.judge(state, answering.question, references, is_last=action.is_last)
        except ModelUnavailable as error:
            await answering.emit(Warned("degraded_judge", f"{error.message}; rules judge instead", error.message))
            judgement = await self._fallback.judge(state, answering.question, references, is_last=action.is_last)
        classification = await self._read(judgement.sub_question) if not action.is_last else None
        triples = tuple(dict.fromkeys((*triples, *judgement.triples)))
        await answering.emit(Judged(judgement, fresh, triples, classification))

    async def _read(self, sub_question: str) -> Classification | None:
        """Return the classification of a sub-question; None if it is empty or the classifier failed."""
        if not sub_question:
            return None
        try:
            found = await self._classifier.classify(sub_question, Mode.UNSPECIFIED)
        except AppError:
            return None
        return replace(found, anchors=found.anchors.of_likely_length())

    async def _references(self, answering: Answering) -> tuple[Reference, ...]:
        symbols = tuple(each.symbol for each in answering.state.evidence if each.symbol)
        if not symbols or answering.options.switches.without_call_graph:
            return ()
        try:
            return await self._index.references(answering.pin, symbols)
        except AppError:
            return ()
