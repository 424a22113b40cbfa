"""The deterministic judge of the sufficiency strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import Judgement
from orchestrator.domain.loop.references import missing_definitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence.piece import Evidence, Gap
    from orchestrator.domain.loop.references import Reference
    from orchestrator.domain.questions.question import Classification


def judge_by_references(
    evidence: Sequence[Evidence],
    references: Sequence[Reference],
    question: str,
    classification: Classification,
    history: Sequence[Judgement],
) -> Judgement:
    """
    Find evidence sufficient once it shows every definition that it refers to and that the question is about.

    Otherwise the next sub-question asks for the most relevant one that no earlier judgement asked for, or, if there is
    none, again for one that was asked for in vain.
    """
    iteration = len(history) + 1
    asked = {each.sub_question for each in history}

    def missing(pass_number: int) -> list[tuple[str, str]]:
        gaps = missing_definitions(evidence, references, question, classification, pass_number=pass_number, limit=8)
        return [(_question_for(gap), gap.description) for gap in gaps]

    fresh = [each for each in missing(iteration) if each[0] not in asked]
    wanted = fresh or [each for each in missing(1) if each[0] in asked]
    if wanted:
        sub_question, why = wanted[0]
        return Judgement(iteration, reasoning=why, sub_question=sub_question)
    if not evidence:
        return Judgement(iteration, reasoning="no evidence was found, and nothing names what to look for")
    shown = f"{len(evidence)} pieces of evidence show every definition that matters to the question"
    return Judgement(iteration, sufficient=True, reasoning=shown)


def _question_for(gap: Gap) -> str:
    return f"How is `{gap.symbol}` defined" + (f" in {gap.path}?" if gap.path else "?")
