"""
What a question means, as the classifier read it: the part of cgrag.type.v1.Understanding that stages work on.

Members of newer peers come in as UNSPECIFIED and change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from retriever.domain.questions.relations import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_CONFIDENCE = 0.5
"""A stage that answers an intent runs from this probability on; below it the search by words has to do."""


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


@dataclass(frozen=True, slots=True)
class Slot:
    """
    A piece of the question that fills a role; offsets are in code points of the question.

    Args:
        text: As written, without article and quotation marks; "" where only the value is known.
        value: Stem of a verb, choice within the intent of a kind; else "".
    """

    kind: SlotKind = SlotKind.UNSPECIFIED
    text: str = ""
    value: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class NamedThing:
    """Something that a question names, as written."""

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

    def asked(self, question: str) -> str:
        """Return the words of the part, as the question has them."""
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
        return self.confidence >= _LEAST_CONFIDENCE

    @property
    def choice(self) -> str:
        """The choice within the intent, for example "environment" of SETTINGS; "" for none."""
        return next(iter(self.choices), "")

    @property
    def choices(self) -> tuple[str, ...]:
        """All choices within the intent, the likeliest first: "build" and "test" of RUN."""
        return tuple(slot.value for slot in self.slots if slot.kind is SlotKind.KIND and slot.value)


@dataclass(frozen=True, slots=True)
class Understanding:
    """
    The one reading of a question; without parts nobody read it, and the words alone are searched for.

    Args:
        parts: What it asks, in its order.
        mentions: What it names, in order of start.
    """

    parts: tuple[QuestionPart, ...] = ()
    mentions: tuple[NamedThing, ...] = ()

    def of(self, *intents: Intent) -> Iterator[QuestionPart]:
        """Yield the parts of these intents that are likely enough to be answered by a stage of their own."""
        return (part for part in self.parts if part.intent in intents and part.is_likely)

    def named(self, *kinds: MentionKind) -> tuple[str, ...]:
        """Return what the question names of these kinds, each once, in order."""
        return tuple(dict.fromkeys(each.text for each in self.mentions if each.kind in kinds))

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The intents of such parts, in the order of the question, each once."""
        likely = (part.intent for part in self.parts if part.is_likely)
        return tuple(dict.fromkeys(likely))


NOT_READ = Understanding()
