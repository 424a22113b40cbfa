"""Why a piece of evidence was chosen, as data, so that callers can word the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class BasisKind(Enum):
    """What the code of a piece has to do with the question."""

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
    Why a piece is there.

    Args:
        name: What it raises, makes, calls or reads, what calls it, of a branch where the flow starts; "" where code
            makes the name.
        text: Of the code, by which a message was found; of DECIDES the words of the question.
        line: Of its file, where it does so; 0 where that is not one line, or not known.
        further: Variables of the environment that no piece shows; told with one piece.
        condition: Of the innermost branch around the line; "" where there is none, or it is not known.
    """

    kind: BasisKind
    name: str = ""
    text: str = ""
    line: int = 0
    further: int = 0
    condition: str = ""
