"""What a question means, as the classifier read it: cgrag.type.v1.Understanding, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from common.core.words.terms import count_terms
from orchestrator.domain.evidence.piece import Relation

_LIKELY = 0.5
"""Probability of an intent from which on an answer is written for it."""


class Intent(Enum):
    """What a part of a question wants to know."""

    UNSPECIFIED = auto()
    OVERVIEW = auto()
    MODULES = auto()
    START = auto()
    RUN = auto()
    PLACE = auto()
    ENTRY_POINTS = auto()
    KINDS = auto()
    SETTINGS = auto()
    DEPENDENCIES = auto()
    MEANING = auto()
    LOCATION = auto()
    FIND = auto()
    METHOD = auto()
    CONSEQUENCE = auto()
    PATH = auto()
    USAGE = auto()
    EXTENSION = auto()
    SUPPORT = auto()
    VALUE = auto()
    RELATION = auto()
    IMPACT = auto()
    COMPARISON = auto()
    CONNECTION = auto()
    DIAGNOSIS = auto()
    MESSAGE = auto()
    RATIONALE = auto()
    SIZES = auto()
    UNUSED = auto()
    STRUCTURE = auto()
    FINDINGS = auto()
    CO_CHANGE = auto()
    ASSESSMENT = auto()
    CONCURRENCY = auto()
    CHANGE = auto()
    ROUTE = auto()
    OTHER = auto()


class SlotKind(Enum):
    """What a slot holds."""

    UNSPECIFIED = auto()
    SUBJECT = auto()
    OBJECT = auto()
    VERB = auto()
    OWNER = auto()
    KIND = auto()
    CONDITION = auto()
    QUANTITY = auto()


class MentionKind(Enum):
    """What a mention names."""

    UNSPECIFIED = auto()
    SYMBOL = auto()
    PATH = auto()
    MESSAGE = auto()
    FRAME = auto()
    SETTING = auto()
    ROUTE = auto()
    EXCEPTION = auto()


class ReferenceKind(Enum):
    """How a question refers to an earlier one."""

    UNSPECIFIED = auto()
    PRONOUN = auto()
    CONTINUATION = auto()
    FILE = auto()


class Language(Enum):
    """A natural language that the classifier recognises."""

    UNSPECIFIED = auto()
    ENGLISH = auto()
    GERMAN = auto()
    FRENCH = auto()
    SPANISH = auto()
    CHINESE = auto()
    JAPANESE = auto()
    RUSSIAN = auto()
    OTHER = auto()


class Comprehension(Enum):
    """How well a question was understood."""

    UNSPECIFIED = auto()
    FULL = auto()
    PARTIAL = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Slot:
    """
    A piece of the question that fills a role; offsets are in code points.

    Args:
        text: As written, without article and quotation marks; empty where only the value is known.
        value: Stem of a verb, choice of a kind; else empty.
    """

    kind: SlotKind = SlotKind.UNSPECIFIED
    text: str = ""
    value: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class NamedThing:
    """Something that a question names."""

    kind: MentionKind = MentionKind.UNSPECIFIED
    text: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One thing that a question asks; the confidence is the probability that the intent is right."""

    intent: Intent = Intent.UNSPECIFIED
    relation: Relation = Relation.UNSPECIFIED
    slots: tuple[Slot, ...] = ()
    confidence: float = 0.0
    start: int = 0
    end: int = 0

    def texts(self, *kinds: SlotKind) -> tuple[str, ...]:
        """Return the words of the slots of some kinds, in the order of the question."""
        return tuple(slot.text for slot in self.slots if slot.kind in kinds and slot.text)


@dataclass(frozen=True, slots=True)
class EarlierReference:
    """A reference to an earlier question; without text it is a continuation. `position` is from 1, the last -1."""

    kind: ReferenceKind = ReferenceKind.UNSPECIFIED
    text: str = ""
    start: int = 0
    end: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Understanding:
    """The one reading of a question."""

    parts: tuple[QuestionPart, ...] = ()
    mentions: tuple[NamedThing, ...] = ()
    reference: EarlierReference = EarlierReference()
    language: Language = Language.UNSPECIFIED
    comprehension: Comprehension = Comprehension.UNSPECIFIED

    @property
    def likely(self) -> tuple[QuestionPart, ...]:
        """Return the parts whose intent is likelier than not; one without an intent if there is none."""
        found = (part for part in self.parts if part.confidence >= _LIKELY)
        return tuple(part for part in found if part.intent is not Intent.UNSPECIFIED) or (QuestionPart(),)

    def named(self, *kinds: MentionKind) -> tuple[str, ...]:
        """Return what the question names of some kinds, in its order."""
        return tuple(each.text for each in self.mentions if each.kind in kinds)

    def asked(self, question: str) -> tuple[str, ...]:
        """Return the texts of slots and mentions; the whole question where it has neither."""
        slots = (slot.text for part in self.parts for slot in part.slots)
        return tuple(filter(None, (*slots, *(each.text for each in self.mentions)))) or (question,)

    def terms(self, question: str) -> frozenset[str]:
        """Return the terms of what is asked about."""
        return frozenset(term for text in self.asked(question) for term in count_terms(text))
