"""What a name is in code that no definition bears: a parameter, an attribute, an argument, a key, a local."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
"""How each is told, before the name of what is around it."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A line, from 1, and what the name is there."""

    kind: MentionKind
    line: int


_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--)")
_STRINGS = re.compile(r"(\"\"\"|''').*?(?:\1|\Z)", re.DOTALL)
_LONGEST_LINE = 1000
"""A longer line is data."""


def is_parameter(name: str, signature: str) -> bool:
    """Tell whether a declaration takes something of this name."""
    inside = signature.partition("(")[2]
    return re.search(rf"(?<![\w.\"']){re.escape(name)}(?=\s*(?:[:=,)]|\Z))", inside) is not None


def without_texts(text: str) -> str:
    """Blank texts over several lines, such as documentation, line by line."""
    return _STRINGS.sub(lambda found: "\n" * found[0].count("\n"), text)


def mentions(text: str, owner: str, name: str) -> Iterator[Mention]:
    """
    Find a name in code, in order of line; comments and longer strings do not count.

    Args:
        owner: The name before it, where it was written with one: "flow" of `flow.error`; "" for none.
    """
    word = re.escape(name)
    holder = rf"\b{re.escape(owner)}" if owner else r"[\w)\]]"
    kinds = [
        (MentionKind.ATTRIBUTE, re.compile(rf"{holder}\.{word}\s*(?::[^=\n]{{1,80}})?=(?!=)")),
        (MentionKind.READ, re.compile(rf"{holder}\.{word}\b(?!\s*\()")),
    ]
    if not owner:
        kinds[1:1] = [
            (
                MentionKind.NAME,
                re.compile(rf"^\s*(?:(?:const|let|var|val|final)\s+)?{word}\s*(?::[^=\n]{{1,80}})?=(?![=>])[^,]*$"),
            ),
            (MentionKind.KEY, re.compile(rf"[\"']{word}[\"']|^\s*{word}\s*:")),
            (MentionKind.ARGUMENT, re.compile(rf"(?:^\s*|[(,]\s*){word}=(?!=)")),
        ]
    for number, line in enumerate(without_texts(text).split("\n"), 1):
        if name not in line or len(line) > _LONGEST_LINE or _COMMENT.match(line):
            continue
        found = next((kind for kind, pattern in kinds if pattern.search(line)), None)
        if found:
            yield Mention(found, number)
