"""What a question means: the domain's side of cgrag.type.v1.Understanding, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


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
    """How the wanted things relate to the subject."""

    UNSPECIFIED = auto()
    CALLS = auto()
    CALLEES = auto()
    INHERITS = auto()
    IMPLEMENTS = auto()
    OVERRIDES = auto()
    USES = auto()
    TESTS = auto()
    SETS = auto()
    RAISES = auto()
    FAILS = auto()
    CATCHES = auto()
    IMPORTS = auto()
    REQUIRES = auto()
    NAMES = auto()
    REGISTERS = auto()
    HOLDS = auto()
    BEGINS = auto()
    COMMANDS = auto()
    CHANGES = auto()


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
    """One thing that a question asks; the confidence is the probability that the intent is right."""

    intent: Intent = Intent.UNSPECIFIED
    relation: Relation = Relation.UNSPECIFIED
    slots: tuple[Slot, ...] = ()
    confidence: float = 0.0
    start: int = 0
    end: int = 0

    def slot(self, kind: SlotKind) -> Slot | None:
        """Return the first slot of a kind."""
        return next((slot for slot in self.slots if slot.kind is kind), None)


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
    language: NaturalLanguage = NaturalLanguage.UNSPECIFIED
    comprehension: Comprehension = Comprehension.UNSPECIFIED
