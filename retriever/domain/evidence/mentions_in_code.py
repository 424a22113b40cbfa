"""How code uses a name without a definition: parameter, attribute, argument, key, local variable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.domain.values import Span


class MentionKind(IntEnum):
    """What a name is in a line of code, the most telling first."""

    PARAMETER = 1
    ATTRIBUTE = 2
    NAME = 3
    KEY = 4
    ARGUMENT = 5
    READ = 6
    TEXT = 7


@dataclass(frozen=True, slots=True)
class Occurrence:
    """
    Where code has a name that no definition bears.

    Args:
        within: Qualified name of what is around it; "" outside of all.
        place: The line.
    """

    name: str
    mention: MentionKind
    within: str
    place: Span


WORDS = {
    MentionKind.PARAMETER: "a parameter of",
    MentionKind.ATTRIBUTE: "an attribute that is set in",
    MentionKind.NAME: "a name that is set in",
    MentionKind.KEY: "a key in",
    MentionKind.ARGUMENT: "an argument that is passed in",
    MentionKind.READ: "an attribute that is read in",
    MentionKind.TEXT: "a text in",
}
"""Wording of each kind of mention, before the name of the enclosing definition."""
