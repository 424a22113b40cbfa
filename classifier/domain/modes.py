"""
The deterministic mode engine: the mode follows from the understanding of the question.

Stack traces, logs and bare error messages are diagnostic. A short question with an intent that belongs to one mode has
that mode, with the probability of the intent. For all other questions the mode is predicted by a linear model over the
words of the question, their concepts and its intents (classifier/data/modes.json, fitted by
scripts/train_understanding.py). A few words that ask nothing are a topic, which is
conceptual; for a text that was not understood the likeliest mode is returned with low confidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classifier.domain.log_lines import is_log
from classifier.domain.plain_messages import plain_message
from classifier.domain.reading.features import BRIEF, mode_features
from classifier.domain.reading.tokens import Shape, tokens_of
from classifier.domain.scope import find_scope
from classifier.domain.tasks import task_type
from classifier.domain.values import Mode, Verdict
from common.core.contract.understanding import Comprehension, Intent, NaturalLanguage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from classifier.domain.reading.tokens import Token
    from classifier.domain.reading.understand import Models
    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding

TRACE_CONFIDENCE = 0.97
FAILURE_CONFIDENCE = 0.85
TOPIC_CONFIDENCE = 0.5
GUESS_CONFIDENCE = 0.3
_TOPIC_WORDS = 8
_FENCE = "```"
_SURE, _LIKELY = 0.75, 0.4
"""Least probability of an intent that decides the mode alone; least one if the question also names a failure."""
_OF_MODES: Mapping[Mode, tuple[Intent, ...]] = {
    Mode.CONCEPTUAL: (
        Intent.OVERVIEW,
        Intent.RUN,
        Intent.PLACE,
        Intent.ENTRY_POINTS,
        Intent.KINDS,
        Intent.SETTINGS,
        Intent.DEPENDENCIES,
        Intent.MEANING,
        Intent.LOCATION,
        Intent.FIND,
        Intent.USAGE,
        Intent.EXTENSION,
        Intent.SUPPORT,
        Intent.VALUE,
        Intent.COMPARISON,
        Intent.ROUTE,
    ),
    Mode.EXPLORATORY: (Intent.CONSEQUENCE, Intent.PATH),
    Mode.ANALYTICAL: (Intent.SIZES, Intent.UNUSED, Intent.FINDINGS, Intent.CO_CHANGE, Intent.IMPACT),
}
_MODES = {intent: mode for mode, intents in _OF_MODES.items() for intent in intents}
"""The mode of each intent that has one only; for others ("how is it done?", "why?") the linear model decides."""
_OF_FAILURES = frozenset({Intent.DIAGNOSIS, Intent.MESSAGE, Intent.RATIONALE})
"""Intents of a diagnostic question, if it names an exception or quotes an error message."""
_ABOUT = {
    Mode.CONCEPTUAL: "what something is or how it is used",
    Mode.DIAGNOSTIC: "why something fails",
    Mode.EXPLORATORY: "how control or data flows",
    Mode.ANALYTICAL: "structure, quality or design",
}


def decide(question: str, anchors: Anchors, understanding: Understanding, models: Models) -> Verdict:
    """Choose the likeliest mode; ties go to the lower number."""
    scope = find_scope(question)
    if anchors.frames:
        return Verdict(Mode.DIAGNOSTIC, TRACE_CONFIDENCE, "A stack trace asks why something fails.", scope)
    if is_log(question) or _is_pasted(question, anchors):
        return Verdict(Mode.DIAGNOSTIC, FAILURE_CONFIDENCE, "The question is where an error comes from.", scope)
    told = _of_intent(understanding, anchors)
    quoted = sum(len(each.split()) for each in anchors.error_messages)
    if told is not None and len(question.split()) - quoted < BRIEF:
        return Verdict(*told, _reason(told[0], understanding), scope)
    return _weigh(question, anchors, understanding, models, scope)


def _weigh(question: str, anchors: Anchors, understanding: Understanding, models: Models, scope: str) -> Verdict:
    tokens, task = tokens_of(question), task_type(question, anchors)
    chances = models.mode.chances(mode_features(tokens, models.concepts, anchors, understanding, task))
    found = {Mode[name]: chance for name, chance in zip(models.mode.labels, chances, strict=True)}
    mode = max(Mode, key=lambda each: (found[each], -each))
    is_full = understanding.comprehension is Comprehension.FULL
    if not (anchors.exceptions or anchors.error_messages) and (not is_full or _is_code(question)):
        if task is None and _is_topic(tokens, understanding):
            reason = "The text names a topic and asks nothing about it."
            return Verdict(Mode.CONCEPTUAL, TOPIC_CONFIDENCE, reason, scope)
        if _is_foreign(understanding) or _is_code(question):
            return Verdict(mode, GUESS_CONFIDENCE, "The text was not understood, so this is a guess.", scope)
    return Verdict(mode, found[mode], _reason(mode, understanding), scope)


def _is_topic(tokens: Sequence[Token], understanding: Understanding) -> bool:
    """Return whether a text is a few words that ask nothing, as one types them into a search box."""
    words = [token for token in tokens if token.shape is not Shape.MARK]
    is_short = 0 < len(words) < _TOPIC_WORDS and all(token.key.isascii() for token in words)
    return is_short and understanding.comprehension is Comprehension.NONE


def _is_foreign(understanding: Understanding) -> bool:
    """Return whether a text is not in English, or has no recognised intent."""
    return understanding.language is not NaturalLanguage.ENGLISH or understanding.parts[0].intent is Intent.OTHER


def _is_code(question: str) -> bool:
    text = question.strip()
    return text.startswith(_FENCE) and text.endswith(_FENCE)


def _reason(mode: Mode, understanding: Understanding) -> str:
    asked = " and ".join(dict.fromkeys(part.intent.name.lower().replace("_", " ") for part in understanding.parts))
    return f"The question is about {_ABOUT[mode]}; it was read as a question of {asked}."


def _of_intent(understanding: Understanding, anchors: Anchors) -> tuple[Mode, float] | None:
    """Return the mode that follows from the intent alone, with its probability; None if the linear model decides."""
    part = understanding.parts[0] if understanding.parts else None
    if part is None:
        return None
    if anchors.exceptions or anchors.error_messages:
        is_likely = part.intent in _OF_FAILURES and part.confidence >= _LIKELY
        return (Mode.DIAGNOSTIC, part.confidence) if is_likely else None
    is_sure = part.intent in _MODES and part.confidence >= _SURE
    return (_MODES[part.intent], part.confidence) if is_sure else None


def _is_pasted(question: str, anchors: Anchors) -> bool:
    """Return whether the question is one message, or an error with its message, and nothing else."""
    line = question.strip()
    if plain_message(line) and len(anchors.error_messages) == 1:
        return True
    return "\n" not in line and "?" not in line and line.startswith(tuple(f"{each}: " for each in anchors.exceptions))
