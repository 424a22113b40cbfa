"""The engine without a model: writes from evidence alone, and finds gaps by the references of the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.errors import AppError
from orchestrator.domain.answers.events import EVIDENCE_ENGINE
from orchestrator.domain.answers.orders import EngineDone, EngineText
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.evidence.piece import EvidenceKind
from orchestrator.domain.loop.graph import judge_by_references
from orchestrator.domain.loop.references import missing_definitions
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from common.core.contract.evidence import Gap
    from orchestrator.adapters.turns import Turns
    from orchestrator.domain.answers.answer import Judgement
    from orchestrator.domain.answers.orders import EngineOutput, PassTask
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.loop.references import Reference
    from orchestrator.ports import CodeIndex


class EvidenceEngine:
    """
    Writes without a model.

    Args:
        index: Returns the references of shown symbols.
        turns: Runs its computations in threads.
        max_gaps: Most gaps that a pass may name.
    """

    name = EVIDENCE_ENGINE

    def __init__(self, index: CodeIndex, turns: Turns, *, max_gaps: int) -> None:
        self._index = index
        self._turns = turns
        self._max_gaps = max_gaps

    async def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """Write one pass, paragraph by paragraph."""
        material = Material(task.question, task.classification, label_evidence(task.evidence), task.results)
        # Comparing lines with the question would block the event loop for too long.
        for paragraph in await self._turns.run(lambda: list(write_answer(material))):
            yield EngineText(paragraph)
        yield EngineDone(await self._gaps(task))

    async def _gaps(self, task: PassTask) -> tuple[Gap, ...]:
        if task.is_last and (task.pass_number > 1 or task.is_judged):
            # Gaps of the last pass would not be fetched, and would not help the reader.
            return ()
        symbols = [each.symbol for each in task.evidence if each.symbol and each.kind is EvidenceKind.SOURCE]
        try:
            references = await self._index.references(task.pin, symbols) if symbols else ()
        except AppError:
            references = ()
        gaps = await self._turns.run(
            missing_definitions,
            task.evidence,
            references,
            task.question,
            task.classification,
            pass_number=task.pass_number,
            limit=self._max_gaps + len(task.results),
        )
        asked = {gap_key(each.gap) for each in task.results}
        return tuple(gap for gap in gaps if gap_key(gap) not in asked)[: self._max_gaps]


class RulesJudge:
    """Judges by the references of the evidence, without a model; `turns` runs its computations in threads."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    async def judge(
        self,
        state: AnswerState,
        question: str,
        references: Sequence[Reference],
        *,
        is_last: bool,  # noqa: ARG002 (the rules do not depend on it)
    ) -> Judgement:
        """Return sufficient, or the next sub-question."""
        return await self._turns.run(
            judge_by_references, state.evidence, references, question, state.classification, state.judgements
        )
