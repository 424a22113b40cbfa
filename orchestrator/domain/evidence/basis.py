"""Why a piece of evidence is there, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class BasisKind(Enum):
    """What the code of a piece of evidence has to do with the question."""

    UNSPECIFIED = auto()
    FRAME = auto()
    MESSAGE = auto()
    NEAR_MESSAGE = auto()
    TEXT = auto()
    CONSTANT = auto()
    RAISES = auto()
    MAKES = auto()
    CATCHES = auto()
    CALLS = auto()
    CALLED = auto()
    BRANCH = auto()
    ENVIRONMENT = auto()
    OVERVIEW = auto()
    DECIDES = auto()


@dataclass(frozen=True, slots=True)
class Basis:
    """
    Why a piece is there, as its reason says to a person.

    `name` is what it raises, makes, calls or reads, or what calls it, `text` that of the code by which a message was
    found, and `line` where it does so. `further` are variables of the environment that no piece shows, `condition`
    is that of the innermost branch around the line.
    """

    kind: BasisKind = BasisKind.UNSPECIFIED
    name: str = ""
    text: str = ""
    line: int = 0
    further: int = 0
    condition: str = ""
