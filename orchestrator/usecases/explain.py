"""Predicts how a question would be answered, without asking the answering model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.errors import AppError
from orchestrator.domain.answers.orders import RetrieveOrder
from orchestrator.domain.loop.references import missing_definitions
from orchestrator.domain.model_text.cleaning import without_colours
from orchestrator.domain.questions.question import without_classifier
from orchestrator.usecases.answering.context import decide_budget, max_passes, restricted

if TYPE_CHECKING:
    from orchestrator.domain.answers.orders import Pin, Retrieved
    from orchestrator.domain.answers.records import Question
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.questions.question import Classification
    from orchestrator.ports import Classifier, CodeIndex, Retriever
    from orchestrator.usecases.answering.context import AnsweringSettings

_MAX_ANCHORS = 20


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a question would be answered. `plan` names stages in order; `evidence` is without text."""

    snapshot_id: str
    classification: Classification
    plan: tuple[str, ...]
    anchors_found: tuple[str, ...]
    anchors_missing: tuple[str, ...]
    coverage: float
    expected_evidence_tokens: int
    expected_passes: int
    evidence: tuple[Evidence, ...]


class Explain:
    """
    Classifies and retrieves as Ask would, and stops there.

    Args:
        classifier: Asks no model, so that explaining costs nothing; where Ask uses one, its result may differ.
    """

    def __init__(
        self, classifier: Classifier, retriever: Retriever, index: CodeIndex, settings: AnsweringSettings
    ) -> None:
        self._classifier = classifier
        self._retriever = retriever
        self._index = index
        self._settings = settings

    async def run(self, question: Question) -> Explanation:
        """Return the explanation. Raises the errors of the retriever."""
        budget = decide_budget(question.options.budget, self._settings.budget)
        options = restricted(question.options, self._settings)
        question = replace(question, question=without_colours(question.question), options=options)
        classification = await self._classify(question)
        pin = await self._retriever.pin(question.pin())
        order = RetrieveOrder(pin, question.question, classification, budget, question.options.switches)
        found = await self._retriever.retrieve(order)
        anchors = classification.anchors
        names = tuple(dict.fromkeys((*anchors.symbols, *anchors.exceptions)))[:_MAX_ANCHORS]
        known = [name for name in names if await self._index.exists(pin, name)]
        return Explanation(
            snapshot_id=pin.snapshot_id,
            classification=classification,
            plan=tuple(stage.stage for stage in found.timings),
            anchors_found=tuple(known),
            anchors_missing=tuple(name for name in names if name not in known),
            coverage=found.snapshot.coverage,
            expected_evidence_tokens=sum(each.tokens for each in found.evidence),
            expected_passes=await self._expected_passes(question, pin, classification, found),
            evidence=tuple(replace(each, text="") for each in found.evidence),
        )

    async def _classify(self, question: Question) -> Classification:
        try:
            found = await self._classifier.classify(question.question, question.options.mode)
        except AppError:
            found = without_classifier(question.options.mode)
        return replace(found, anchors=found.anchors.of_likely_length())

    async def _expected_passes(
        self, question: Question, pin: Pin, classification: Classification, found: Retrieved
    ) -> int:
        symbols = tuple(each.symbol for each in found.evidence if each.symbol)
        references = await self._index.references(pin, symbols) if symbols else ()
        gaps = missing_definitions(found.evidence, references, question.question, classification, pass_number=1)
        return min(2 if gaps else 1, max_passes(question.options, self._settings))
