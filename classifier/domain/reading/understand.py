"""
Reads a question into an Understanding.

A linear model over words predicts the intent of a text, a tagger over its tokens the slots, given the intent, and a
linear model over words and letters the language.

Sentences that only give background are left out, unless the question refers to them. The rest is cut into parts where a
sentence, or a clause after "and" or a comma, begins like a question; a piece that is no question by itself is joined to
the piece before. If the intent of any part is then unlikely, the question is one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from classifier.domain.reading.features import intent_features, language_features, slot_features
from classifier.domain.reading.slots import (
    ARTICLES,
    NEEDS_SUBJECT,
    choice_of,
    filled,
    mentions_of,
    reference_of,
    slots_of,
    without_references,
)
from classifier.domain.reading.tokens import Shape, sentence_bounds, tokens_of
from common.core.contract.understanding import (
    Comprehension,
    Intent,
    NaturalLanguage,
    QuestionPart,
    ReferenceKind,
    Understanding,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from classifier.domain.reading.features import Concepts
    from classifier.domain.reading.linear import LinearModel
    from classifier.domain.reading.tokens import Token

SURE, LIKELY = 0.7, 0.4
"""Least probabilities of the intent of a question that counts as understood fully, and in part."""
_MOST_WORDS = 24
"""Most words of a question that counts as understood fully: only two in three longer ones are read correctly."""
_PART_SURE, _PART_LIKELY = 0.6, 0.5
_CHOICE_LIKELY = 0.06
"""Least probability of a further choice: in a text with one choice, all others are far less likely."""
_MOST_PARTS = 4
_LEAST_WORDS = 2
_MOST_TAGGED = 120
CONTEXT = "CONTEXT"
"""Label of a sentence that gives background and asks nothing."""
_MOST_TOLD = 0.5
"""Probability of CONTEXT and `_ASIDE` together from which on a sentence asks nothing."""
_ASIDE = frozenset({Intent.OTHER, Intent.DIAGNOSIS, Intent.CHANGE})
"""Intents that are described over several sentences, none of which is a part of its own."""
_TOLD_AT_LENGTH = frozenset({Intent.DIAGNOSIS, Intent.MESSAGE})
"""Intents whose questions quote a message or a trace: these may count as understood fully at any length."""
_OF_PROJECT = frozenset(
    {Intent.OVERVIEW, Intent.MODULES, Intent.START, Intent.RUN, Intent.PLACE, Intent.ENTRY_POINTS, Intent.DEPENDENCIES}
)
"""Intents of newcomers' questions: such a first part is kept if the text then describes a failure."""
_OPEN = NEEDS_SUBJECT | {Intent.START, Intent.RUN, Intent.SUPPORT}
"""Intents that need no slot: without one, they are about the project, or the subject of the part before."""
_JOINS = frozenset({"and", "und", "et", "y", "и"})


@dataclass(frozen=True, slots=True)
class Models:
    """
    The models and word lists by which questions are read.

    Args:
        vocabulary: Words that the models know; all others are treated as the same unknown word.
        openers: Words that questions begin with.
        allowed: Tags that tokens may have, for each intent.
        concepts: Groups of words with the same meaning.
    """

    intent: LinearModel
    slot: LinearModel
    language: LinearModel
    mode: LinearModel
    vocabulary: frozenset[str]
    openers: frozenset[str]
    allowed: Mapping[str, tuple[str, ...]]
    concepts: Concepts


class Reader:
    """Reads questions; the same question always gives the same understanding."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def read(self, text: str) -> Understanding:
        """Return what a question means; about 1 ms for a question of a sentence or two."""
        tokens = tokens_of(text)
        language = self._language(text, tokens)
        found = filled(self._parts(tokens), tokens)
        reference = reference_of(found, tokens)
        parts = without_references(found, reference)
        return Understanding(
            parts=parts,
            mentions=mentions_of(tokens, parts),
            reference=reference,
            language=language,
            comprehension=self._comprehension(parts, tokens, language),
        )

    def raw(self, tokens: Sequence[Token]) -> tuple[str, float, list[str]]:
        """Return the likeliest label of the likeliest intent, the probability of that intent, and each token's tag."""
        chances = self.chances(tokens)
        intents: dict[str, float] = {}
        for label, chance in chances.items():
            intent = label.partition(".")[0]
            intents[intent] = intents.get(intent, 0.0) + chance
        best = max(intents, key=lambda each: intents[each])
        label = max((each for each in chances if each.partition(".")[0] == best), key=lambda each: chances[each])
        return label, intents[best], self._tags(tokens, label)

    def chances(self, tokens: Sequence[Token]) -> dict[str, float]:
        """Return the probability of each label, given that the text asks something."""
        found = self._all_chances(tokens)
        asked = 1.0 - found.pop(CONTEXT, 0.0)
        return {label: chance / asked for label, chance in found.items()} if asked else found

    def _all_chances(self, tokens: Sequence[Token]) -> dict[str, float]:
        found = self._models.intent.chances(intent_features(tokens, self._models.concepts, self._models.vocabulary))
        return dict(zip(self._models.intent.labels, found, strict=True))

    def _tags(self, tokens: Sequence[Token], label: str) -> list[str]:
        model = self._models.slot
        allowed = [model.labels.index(tag) for tag in self._models.allowed.get(label.partition(".")[0], ("O",))]
        meant = self._models.concepts.of_each(tokens)
        tags: list[str] = []
        for at in range(len(tokens)):
            before = tags[-1] if tags else "O"
            scores = model.scores(slot_features(tokens, at, meant, self._models.vocabulary, label, before))
            tags.append(model.labels[max(allowed, key=lambda tag: scores[tag])])
        return tags

    def _parts(self, told: Sequence[Token]) -> tuple[QuestionPart, ...]:
        tokens = self._asking(told)
        whole = self._part(tokens)
        pieces = self._pieces(tokens)
        if len(pieces) > 1 and whole.intent not in _ASIDE:
            parts = self._joined(pieces)
            if all(part.confidence >= _PART_LIKELY and part.intent not in _ASIDE for part in parts):
                return tuple(parts[:_MOST_PARTS])
        elif len(pieces) > 1 and whole.intent is Intent.DIAGNOSIS:
            first, *others = (self._part(piece) for piece in pieces)
            if first.confidence >= _PART_SURE and first.intent in _OF_PROJECT:
                return (first, *(part for part in others if part.confidence >= _PART_SURE))[:_MOST_PARTS]
        return (whole,)

    def _asking(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """Return the sentences that ask something, and one before if the first refers to it; all if none asks."""
        bounds = sentence_bounds(tokens)
        asking = [at for at, (start, end) in enumerate(bounds) if self._is_asking(tokens[start:end])]
        if len(bounds) == 1 or not asking:
            return tokens
        if asking[0] and self._refers(tokens[slice(*bounds[asking[0]])]):
            asking.insert(0, asking[0] - 1)
        return [token for at in asking for token in tokens[slice(*bounds[at])]]

    def _refers(self, sentence: Sequence[Token]) -> bool:
        """Return whether a sentence refers by a pronoun to something outside it: "Where does that come from?"."""
        return reference_of([self._part(sentence)], sentence).kind is ReferenceKind.PRONOUN

    def _is_asking(self, sentence: Sequence[Token]) -> bool:
        chances = self._all_chances(sentence[:_MOST_TAGGED])
        told = sum(chances.get(each, 0.0) for each in (CONTEXT, *(intent.name for intent in _ASIDE)))
        return told < _MOST_TOLD

    def _joined(self, pieces: Sequence[Sequence[Token]]) -> list[QuestionPart]:
        """Return the parts: one for each piece, but a piece that is no question by itself is joined to those before."""
        parts: list[QuestionPart] = []
        read: list[Token] = []
        for piece in pieces:
            part = self._part(piece)
            is_alone = part.confidence >= _PART_LIKELY and part.intent not in _ASIDE
            if parts and not (is_alone and (part.slots or self._takes_none(part))):
                parts.pop()
                read += piece
                part = self._part(read)
            else:
                read = list(piece)
            parts.append(part)
        return parts

    def _takes_none(self, part: QuestionPart) -> bool:
        """Return whether a part may have no slots: its intent is in `_OPEN`, or allows no slots."""
        return part.intent in _OPEN or not any(tag != "O" for tag in self._models.allowed.get(part.intent.name, ()))

    def _part(self, tokens: Sequence[Token]) -> QuestionPart:
        label, chance, tags = self.raw(tokens[:_MOST_TAGGED])
        intent, relation, _ = choice_of(label)
        found = slots_of(tokens, tags, self._choices(tokens, label))
        start, end = (tokens[0].start, tokens[-1].end) if tokens else (0, 0)
        return QuestionPart(intent, relation, found, chance, start, end)

    def _choices(self, tokens: Sequence[Token], label: str) -> list[str]:
        """Return the label's choice; for RUN also further likely choices that the text names, in its order."""
        intent, _, choice = choice_of(label)
        if intent is not Intent.RUN or not choice:
            return [choice] if choice else []
        chances = self.chances(tokens[:_MOST_TAGGED])
        likely = (choice_of(each) for each, chance in chances.items() if chance >= _CHOICE_LIKELY and each != label)
        others = [other for kind, _, other in likely if kind is intent and other]
        said = [name for _, _, names in self._models.concepts.spans(tokens) for name in names]
        found = [each for each in (choice, *others) if each in said]
        return sorted(found, key=said.index) if choice in found else [choice, *found]

    def _pieces(self, tokens: Sequence[Token]) -> list[Sequence[Token]]:
        """Cut before each clause that begins like a question; text before the first is joined to it or dropped."""
        cuts = [at for at in range(1, len(tokens)) if self._begins(tokens, at)]
        bounds = [0, *cuts, len(tokens)]
        pieces = [tokens[start:end] for start, end in pairwise(bounds)]
        if pieces and not self._opens(pieces[0]) and len(pieces) > 1 and not self._asks(pieces[0]):
            both = tokens[: len(pieces[0]) + len(pieces[1])]
            pieces[:2] = [both if self._asks(both) or not self._asks(pieces[1]) else pieces[1]]
        return [piece for piece in pieces if sum(t.shape is not Shape.MARK for t in piece) >= _LEAST_WORDS]

    def _begins(self, tokens: Sequence[Token], at: int) -> bool:
        before = tokens[at - 1]
        if tokens[at].key in _JOINS and before.key != ",":
            following = tokens[at + 1].key if at + 1 < len(tokens) else ""
            return following in self._models.openers and following not in ARTICLES
        is_cut = before.shape is Shape.MARK and before.key in {"?", ".", ";", "!", ",", "\n"}
        behind = tokens[at + 1 : at + 2] if tokens[at].key in _JOINS else tokens[at : at + 1]
        if before.key == "," and behind and behind[0].key in ARTICLES:
            return False  # continues an enumeration
        return is_cut and bool(behind) and behind[0].key in self._models.openers

    def _asks(self, tokens: Sequence[Token]) -> bool:
        """Return whether a piece surely asks something, even after other words: "I am new here - which is first?"."""
        is_open = any(token.key in self._models.openers for token in tokens)
        return is_open and self._part(tokens).confidence >= _PART_SURE

    def _opens(self, tokens: Sequence[Token]) -> bool:
        first = next((token.key for token in tokens if token.shape is not Shape.MARK), "")
        return first in self._models.openers

    def _language(self, text: str, tokens: Sequence[Token]) -> NaturalLanguage:
        features = [each for each in language_features(text) if each in self._models.language.weights]
        words = [token for token in tokens if token.shape is Shape.WORD]
        if not words:
            return NaturalLanguage.UNSPECIFIED
        if not features:
            return NaturalLanguage.OTHER
        chances = self._models.language.chances(features)
        best = max(range(len(chances)), key=lambda at: chances[at])
        return NaturalLanguage[self._models.language.labels[best]]

    def _comprehension(
        self, parts: Sequence[QuestionPart], tokens: Sequence[Token], language: NaturalLanguage
    ) -> Comprehension:
        words = [token.key for token in tokens if token.shape is Shape.WORD]
        names = [token for token in tokens if token.shape not in {Shape.WORD, Shape.MARK, Shape.NUMBER}]
        is_known = bool(names) or any(word in self._models.vocabulary for word in words)
        chance = parts[0].confidence
        if not is_known or language is NaturalLanguage.OTHER or parts[0].intent is Intent.OTHER or chance < LIKELY:
            return Comprehension.NONE
        is_told = len(words) > _MOST_WORDS and parts[0].intent not in _TOLD_AT_LENGTH
        return Comprehension.FULL if chance >= SURE and not is_told else Comprehension.PARTIAL
