"""
The deterministic mode engine: a multinomial logistic model over language features and the intent of the question.

A stack trace, lines of a log and an error message alone ask for a diagnosis. Everything else is weighed. Weights are
data (classifier/data/weights.json), fitted by scripts/train_classifier.py, which also calibrates the temperature. A few
words that ask nothing and speak of no failure name a topic, as one types it into a search box: the weights know such
texts as titles of bug reports only, so they are not asked whether it is one. A text with hardly a known word (another
language, bare code) gets a guess that says so, unless it was understood all the same.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classifier.domain.features import BRIEF_WORDS, read
from classifier.domain.legible import is_legible
from classifier.domain.log_lines import is_log
from classifier.domain.plain_messages import plain_message
from classifier.domain.reasons import ABOUT, explain
from classifier.domain.scope import find_scope
from classifier.domain.understanding import Comprehension, Intent
from classifier.domain.values import Mode, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from classifier.domain.features import Lexicon
    from classifier.domain.understanding import Understanding
    from classifier.domain.values import Anchors

TRACE_CONFIDENCE = 0.97
FAILURE_CONFIDENCE = 0.85
TOPIC_CONFIDENCE = 0.5
GUESS_CONFIDENCE = 0.3
_TOPIC_WORDS = 8
_SURE, _LIKELY = 0.75, 0.4
"""Probability of an intent that decides alone, and of one that a named failure speaks for."""
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
"""The mode of each intent that has but one; of others ("how is it done?", "why?") the rest of the question decides."""
_OF_FAILURES = frozenset({Intent.DIAGNOSIS, Intent.MESSAGE, Intent.RATIONALE})
"""Intents that are about a failure where the question names or quotes one."""
_ASCII_WORD = re.compile(r"\A[^\u0080-\U0010ffff]*\w[^\u0080-\U0010ffff]*\Z")
_OF_FAILURE = ("failure", "wrongness", "negation", "restraint", "report", "exceptions", "messages", "bug_tag")
"""Ends of the names of features by which even a few words report a failure."""


@dataclass(frozen=True, slots=True)
class ModeModel:
    """
    Weights of the logistic model.

    Args:
        weights: Feature name to one weight for each mode, in the order of `Mode`.
        bias: One for each mode.
        temperature: Divides the scores before the softmax; above 1 makes the engine less sure.
        lexicon: The word groups that the features are made of.
    """

    weights: Mapping[str, Sequence[float]]
    bias: Sequence[float]
    temperature: float
    lexicon: Lexicon

    def probabilities(self, features: Mapping[str, float]) -> tuple[float, ...]:
        """Return the probability of each mode, in the order of `Mode`; they sum to 1."""
        scores = list(self.bias)
        for name, strength in features.items():
            for position, weight in enumerate(self.weights.get(name, ())):
                scores[position] += weight * strength
        highest = max(scores)
        powers = [math.exp((score - highest) / self.temperature) for score in scores]
        total = sum(powers)
        return tuple(power / total for power in powers)

    def decide(self, question: str, anchors: Anchors, understanding: Understanding) -> Verdict:
        """Choose the likeliest mode; ties go to the lower number."""
        scope = find_scope(question)
        if anchors.frames:
            return Verdict(Mode.DIAGNOSTIC, TRACE_CONFIDENCE, "A stack trace asks why something fails.", scope)
        if is_log(question) or _is_pasted(question, anchors):
            return Verdict(Mode.DIAGNOSTIC, FAILURE_CONFIDENCE, "The question is where an error comes from.", scope)
        told = _of_intent(understanding, anchors)
        quoted = sum(len(each.split()) for each in anchors.error_messages)
        if told is not None and len(question.split()) - quoted < BRIEF_WORDS:
            mode, confidence = told
            return Verdict(mode, confidence, f"The question is about {ABOUT[mode]}, by what it asks for.", scope)
        return self._weigh(question, anchors, understanding, scope)

    def _weigh(self, question: str, anchors: Anchors, understanding: Understanding, scope: str) -> Verdict:
        features = read(question, anchors, self.lexicon, understanding)
        chances = self.probabilities(features)
        mode = _likeliest(chances, tuple(Mode))
        is_topic = mode is Mode.DIAGNOSTIC and _is_topic(question, features)
        if is_topic:
            mode = _likeliest(chances, [each for each in Mode if each is not Mode.DIAGNOSTIC])
        is_understood = understanding.comprehension is Comprehension.FULL
        known = is_understood or anchors.exceptions or anchors.error_messages or is_legible(question, self.lexicon)
        if is_topic and (known or _ASCII_WORD.search(question)):
            return Verdict(mode, TOPIC_CONFIDENCE, "The text names a topic and asks nothing about it.", scope)
        if not known:
            return Verdict(mode, GUESS_CONFIDENCE, "Hardly a word of the text is known, so this is a guess.", scope)
        return Verdict(mode, chances[mode - 1], explain(mode, self._strongest(features, mode - 1)), scope)

    def _strongest(self, features: Mapping[str, float], best: int) -> tuple[str, ...]:
        """Name the features that speak most for a mode over the others, strongest first."""
        pulls: dict[str, float] = {}
        for name, strength in features.items():
            row = self.weights.get(name)
            if row is not None:
                plain = name.rpartition("|")[2]
                pulls[plain] = pulls.get(plain, 0.0) + strength * (row[best] - sum(row) / len(row))
        ranked = sorted(pulls.items(), key=lambda item: (-item[1], item[0]))
        return tuple(name for name, pull in ranked if pull > 0.0)


def _of_intent(understanding: Understanding, anchors: Anchors) -> tuple[Mode, float] | None:
    """Return the mode of an intent that has but one, with its probability; None where it has to be weighed."""
    part = understanding.parts[0] if understanding.parts else None
    if part is None:
        return None
    if anchors.exceptions or anchors.error_messages:
        is_likely = part.intent in _OF_FAILURES and part.confidence >= _LIKELY
        return (Mode.DIAGNOSTIC, part.confidence) if is_likely else None
    is_sure = part.intent in _MODES and part.confidence >= _SURE
    return (_MODES[part.intent], part.confidence) if is_sure else None


def _is_pasted(question: str, anchors: Anchors) -> bool:
    """Tell a line that is a message, or an error with its message, and no more."""
    line = question.strip()
    if plain_message(line) and len(anchors.error_messages) == 1:
        return True
    return "\n" not in line and "?" not in line and line.startswith(tuple(f"{each}: " for each in anchors.exceptions))


def _likeliest(chances: Sequence[float], modes: Sequence[Mode]) -> Mode:
    return max(modes, key=lambda mode: (chances[mode - 1], -mode))


def _is_topic(question: str, features: Mapping[str, float]) -> bool:
    return "tell" in features and len(question.split()) < _TOPIC_WORDS and not _speaks_of_failure(features)


def _speaks_of_failure(features: Mapping[str, float]) -> bool:
    return any(name.endswith(_OF_FAILURE) for name in features)
