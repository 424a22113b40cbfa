"""The deterministic judge of the sufficiency strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answer import Judgement
from orchestrator.domain.references import missing_definitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.question import Classification
    from orchestrator.domain.references import Reference


def judge_by_references(
    evidence: Sequence[Evidence],
    references: Sequence[Reference],
    question: str,
    classification: Classification,
    history: Sequence[Judgement],
) -> Judgement:
    """
    Find evidence sufficient once it shows every definition that it refers to and that the question is about.

    Otherwise the next sub-question asks for the most relevant one that no earlier judgement asked for.
    """
    iteration = len(history) + 1
    asked = {each.sub_question for each in history}
    gaps = missing_definitions(evidence, references, question, classification, pass_number=iteration, limit=8)
    for gap in gaps:
        sub_question = f"How is `{gap.symbol}` defined" + (f" in {gap.path}?" if gap.path else "?")
        if sub_question not in asked:
            return Judgement(iteration, reasoning=gap.description, sub_question=sub_question)
    if not evidence:
        return Judgement(iteration, reasoning="no evidence was found, and nothing names what to look for")
    shown = f"{len(evidence)} pieces of evidence show every definition that matters to the question"
    return Judgement(iteration, sufficient=True, reasoning=shown)
