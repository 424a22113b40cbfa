"""Classifies the question of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import AppError
from common.core.words.terms import count_terms
from orchestrator.domain.answers.events import Classified, Warned
from orchestrator.domain.questions.following import resolve
from orchestrator.domain.questions.question import Mode, without_classifier

if TYPE_CHECKING:
    from orchestrator.domain.questions.question import Classification
    from orchestrator.ports import Classifier
    from orchestrator.usecases.answering.context import Answering


class Classifying:
    """Asks the classifier; if it fails, evidence is searched by the words of the question."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    async def classify(self, answering: Answering) -> None:
        """Emit the classification; references to an earlier question are resolved from the session's memory."""
        began = answering.clock.monotonic()
        forced = answering.options.mode
        try:
            found = await self._classifier.classify(answering.question, forced)
        except AppError as error:
            if answering.situation().seconds_left <= 0:
                raise
            found = without_classifier(forced)
            text = f"{error.message}; the question is searched for by its words"
            await answering.emit(Warned("degraded_classifier", text, error.message))
        found = replace(found, anchors=found.anchors.of_likely_length())
        resolved = _resolved(answering, found, forced)
        referent = answering.memory.evidence[:1] if resolved != found else ()
        await answering.emit(Classified(resolved, (answering.clock.monotonic() - began) * 1000, referent))


def _resolved(answering: Answering, found: Classification, forced: Mode) -> Classification:
    """Resolve the question's references; if it has no terms besides them, its mode is CONCEPTUAL unless forced."""
    resolved = resolve(answering.question, found, answering.memory.evidence)
    is_wordless = resolved != found and not count_terms(answering.question)
    return replace(resolved, mode=Mode.CONCEPTUAL) if is_wordless and forced is Mode.UNSPECIFIED else resolved
