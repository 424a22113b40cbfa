"""What evidence says as data: about words without a match, settings, and how much of a gap is supplied."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class GapSupply(Enum):
    """How much of what a gap resolved to is supplied as evidence."""

    UNSPECIFIED = auto()
    WHOLE = auto()
    PART = auto()
    BEFORE = auto()
    NO_ROOM = auto()


class Absence(Enum):
    """How words are missing: each one occurs in no file, or they never occur together."""

    UNSPECIFIED = auto()
    EACH = auto()
    TOGETHER = auto()


@dataclass(frozen=True, slots=True)
class UnheldWords:
    """Words of a question that do not occur in the index, as the question writes them."""

    words: tuple[str, ...] = ()
    absence: Absence = Absence.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Setting:
    """A line that gives a value to what the question means by some words; `value` is "" where that is longer."""

    words: tuple[str, ...] = ()
    name: str = ""
    value: str = ""
    line: int = 0

    @property
    def is_parameter(self) -> bool:
        """Return whether it is a parameter of a function: `Pool.take(timeout)`."""
        return self.name.endswith(")")

    @property
    def holder(self) -> str:
        """Return the function of a parameter, of a constructor its class: `Pool.take`; "" for what is none."""
        function = self.name.rpartition("(")[0]
        return function.removesuffix(".__init__").removesuffix(".constructor")

    @property
    def dotted(self) -> str:
        """Return the name with a parameter as its last part: `Pool.take.timeout`."""
        return self.name.removesuffix(")").replace("(", ".")
