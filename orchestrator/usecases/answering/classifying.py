"""Finds out how a question is to be answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import AppError
from orchestrator.domain.events import Classified, Warned
from orchestrator.domain.fallback import classify_by_words
from orchestrator.domain.following import resolve
from orchestrator.domain.question import Mode
from orchestrator.domain.question_terms import is_wordless

if TYPE_CHECKING:
    from orchestrator.domain.question import Classification
    from orchestrator.ports import Classifier
    from orchestrator.usecases.answering.context import Answering


class Classifying:
    """Asks the classifier; however it fails, a few words of the question decide then."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    async def classify(self, answering: Answering) -> None:
        """Emit the classification; what the question means and does not name is named as the session knows it."""
        began = answering.clock.monotonic()
        forced = answering.options.mode
        try:
            found = await self._classifier.classify(answering.question, forced)
        except AppError as error:
            if answering.situation().seconds_left <= 0:
                raise
            found = classify_by_words(answering.question, forced)
            text = f"{error.message}; a built-in rule chose the mode"
            await answering.emit(Warned("degraded_classifier", text, error.message))
        found = replace(found, anchors=found.anchors.of_likely_length())
        resolved = _resolved(answering, found, forced)
        referent = answering.memory.evidence[:1] if resolved != found else ()
        await answering.emit(Classified(resolved, (answering.clock.monotonic() - began) * 1000, referent))


def _resolved(answering: Answering, found: Classification, forced: Mode) -> Classification:
    """Name what the question means, and choose the mode by it: nothing in "why?" tells one, and a line is looked up."""
    resolved = resolve(answering.question, found, answering.memory.evidence)
    if forced is not Mode.UNSPECIFIED:
        return resolved
    if resolved.anchors.frames != found.anchors.frames:
        return replace(
            resolved, mode=Mode.DIAGNOSTIC, reasoning="It points at a line, which is looked up like a trace's."
        )
    is_named = resolved.anchors.symbols != found.anchors.symbols
    return replace(resolved, mode=Mode.CONCEPTUAL) if is_named and is_wordless(answering.question) else resolved
