"""
What a question means, as determined by the classifier: cgrag.type.v1.Understanding, field by field.

The classifier makes it; retriever and orchestrator use it. Enum members that only a newer peer knows are received as
UNSPECIFIED.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIKELY = 0.5
"""Least probability of an intent for which a retrieval stage and a section of the answer of its own are used."""


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


class Relation(Enum):
    """How the requested things relate to the subject; values are passive clauses with the subject as their subject."""

    UNSPECIFIED = "has to do with"
    CALLS = "is called by"
    CALLEES = "calls"
    INHERITS = "is extended by"
    IMPLEMENTS = "is implemented by"
    OVERRIDES = "is overridden by"
    USES = "is used by"
    TESTS = "is tested by"
    SETS = "is set by"
    RAISES = "is raised by"
    FAILS = "can fail in"
    CATCHES = "is caught by"
    IMPORTS = "is imported by"
    REQUIRES = "requires"
    NAMES = "names"
    REGISTERS = "registers"
    HOLDS = "holds"
    BEGINS = "begins in"
    COMMANDS = "is the purpose of"
    CHANGES = "changes together with"


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


class NaturalLanguage(Enum):
    """A natural language that the reader recognises."""

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
    """
    One thing that a question asks.

    Args:
        relation: How the wanted things relate to the subject; UNSPECIFIED unless the intent is RELATION or IMPACT.
        slots: In order of their start; a choice without words comes last.
        confidence: Probability that the intent is right, 0 to 1.
    """

    intent: Intent = Intent.UNSPECIFIED
    relation: Relation = Relation.UNSPECIFIED
    slots: tuple[Slot, ...] = ()
    confidence: float = 0.0
    start: int = 0
    end: int = 0

    def slot(self, kind: SlotKind) -> Slot | None:
        """Return the first slot of a kind."""
        return next((slot for slot in self.slots if slot.kind is kind), None)

    def asked(self, question: str) -> str:
        """Return the text of the part as the question has it, without blanks, `?`, `.` and `!` at its ends."""
        return question[self.start : self.end].strip(" ?.!")

    def told(self, question: str) -> str:
        """Return the words of the question from the first slot of the part to its last; "" without slots."""
        placed = [slot for slot in self.slots if slot.text]
        return question[placed[0].start : max(slot.end for slot in placed)] if placed else ""

    def texts(self, *kinds: SlotKind) -> tuple[str, ...]:
        """Return the words of all slots of these kinds, in order."""
        return tuple(slot.text for slot in self.slots if slot.kind in kinds and slot.text)

    def text(self, kind: SlotKind) -> str:
        """Return the words of the first slot of a kind; "" if there is none."""
        return next(iter(self.texts(kind)), "")

    @property
    def is_likely(self) -> bool:
        """Whether the intent is likely enough to be answered by a stage of its own."""
        return self.confidence >= _LIKELY

    @property
    def choice(self) -> str:
        """The choice within the intent, for example "environment" of SETTINGS; "" for none."""
        return next(iter(self.choices), "")

    @property
    def choices(self) -> tuple[str, ...]:
        """All choices within the intent, the likeliest first: "build" and "test" of RUN."""
        return tuple(slot.value for slot in self.slots if slot.kind is SlotKind.KIND and slot.value)


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
    """
    The classifier's result for a question; without parts it was not classified, and only its words are searched for.

    Args:
        parts: What the question asks, in the order of the question.
        mentions: What the question names, in order of start.
    """

    parts: tuple[QuestionPart, ...] = ()
    mentions: tuple[NamedThing, ...] = ()
    reference: EarlierReference = EarlierReference()
    language: NaturalLanguage = NaturalLanguage.UNSPECIFIED
    comprehension: Comprehension = Comprehension.UNSPECIFIED

    def of(self, *intents: Intent) -> Iterator[QuestionPart]:
        """Yield the parts of these intents that are likely enough to be answered by a stage of their own."""
        return (part for part in self.parts if part.intent in intents and part.is_likely)

    def named(self, *kinds: MentionKind) -> tuple[str, ...]:
        """Return the texts of the mentions of these kinds, each once, in order."""
        return tuple(dict.fromkeys(each.text for each in self.mentions if each.kind in kinds))

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The intents of all likely parts, in the order of the question, each once."""
        return tuple(dict.fromkeys(part.intent for part in self.parts if part.is_likely))

    @property
    def likely(self) -> tuple[QuestionPart, ...]:
        """The parts whose intent is known and likely; if there are none, one part with intent UNSPECIFIED."""
        found = (part for part in self.parts if part.is_likely)
        return tuple(part for part in found if part.intent is not Intent.UNSPECIFIED) or (QuestionPart(),)

    def asked(self, question: str) -> tuple[str, ...]:
        """Return the texts of slots and mentions; the whole question where it has neither."""
        slots = (slot.text for part in self.parts for slot in part.slots)
        return tuple(filter(None, (*slots, *(each.text for each in self.mentions)))) or (question,)

    def terms(self, question: str) -> frozenset[str]:
        """Return the index terms of the texts that `asked` returns."""
        return frozenset(term for text in self.asked(question) for term in count_terms(text))


NOT_READ = Understanding()
