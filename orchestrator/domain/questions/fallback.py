"""How a question is answered when the classifier does not answer: by a plain search for its words."""

from __future__ import annotations

from orchestrator.domain.questions.question import Classification, ClassifierEngine, Mode

_UNSURE = 0.5


def without_classifier(forced: Mode) -> Classification:
    """Return the forced mode, else CONCEPTUAL, without an understanding: the retriever then searches by words alone."""
    if forced is not Mode.UNSPECIFIED:
        return Classification(forced, 1.0, "The caller named the mode.", "", ClassifierEngine.FORCED)
    reason = "The classifier did not answer; the question is searched for by its words."
    return Classification(Mode.CONCEPTUAL, _UNSURE, reason, "", ClassifierEngine.RULES)
