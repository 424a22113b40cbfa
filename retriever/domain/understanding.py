"""
What a question means, as the classifier read it: the part of cgrag.type.v1.Understanding that stages work on.

Intents and slots that no stage knows come in as UNSPECIFIED and change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

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
    SETTINGS = auto()
    DEPENDENCIES = auto()
    COMPARISON = auto()
    CONNECTION = auto()
    SIZES = auto()
    UNUSED = auto()


class SlotKind(Enum):
    """What a slot holds."""

    UNSPECIFIED = auto()
    SUBJECT = auto()
    OBJECT = auto()
    OWNER = auto()
    KIND = auto()


@dataclass(frozen=True, slots=True)
class Slot:
    """A piece of the question that fills a role; the value of a KIND is the choice within the intent."""

    kind: SlotKind = SlotKind.UNSPECIFIED
    text: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One thing that a question asks; the confidence is the probability that the intent is right."""

    intent: Intent = Intent.UNSPECIFIED
    slots: tuple[Slot, ...] = ()
    confidence: float = 0.0
    start: int = 0
    end: int = 0

    def asked(self, question: str) -> str:
        """Return the words of the part, as the question has them."""
        return question[self.start : self.end].strip(" ?.!")

    def text(self, kind: SlotKind) -> str:
        """Return the words of the first slot of a kind; "" if there is none."""
        return next((slot.text for slot in self.slots if slot.kind is kind), "")

    @property
    def choice(self) -> str:
        """The choice within the intent, for example "environment" of SETTINGS; "" for none."""
        return next((slot.value for slot in self.slots if slot.kind is SlotKind.KIND and slot.value), "")


@dataclass(frozen=True, slots=True)
class Understanding:
    """The one reading of a question; without parts nobody read it, and the words alone are searched for."""

    parts: tuple[QuestionPart, ...] = ()

    def of(self, intent: Intent) -> Iterator[QuestionPart]:
        """Yield the parts of an intent that are likely enough to be answered by its own stage."""
        return (part for part in self.parts if part.intent is intent and part.confidence >= _LEAST_CONFIDENCE)

    @property
    def intents(self) -> tuple[Intent, ...]:
        """The intents of such parts, in the order of the question, each once."""
        likely = (part.intent for part in self.parts if part.confidence >= _LEAST_CONFIDENCE)
        return tuple(dict.fromkeys(likely))


NOT_READ = Understanding()
