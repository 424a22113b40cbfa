"""Matches a message with the error strings of code, which have placeholders for values, that may have produced it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

VALUE = "{}"
"""Placeholder of a value in an error string, the same for all languages."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PROVING = 3
"""Fewest fixed words of an error string that prove a match."""
_VALUE_WORDS = 2
_HALF = 0.5
_EDGES = re.compile(r"\A\W+|\W+\Z")
_AROUND = " ?!.,;:'\"`…"
"""What a question puts around a message that it quotes."""


def explained(template: str, message: str) -> float:
    """
    Return the share of a message (0 to 1) that is fixed text of an error string; 0.0 if the string did not produce it.

    The fixed parts must occur in the message in order, with at least three words in all. The message may have further
    text before and after them. It may also be cut: it may end within a fixed part or in the value after one, or lie
    within a single fixed part. Case and the number of blanks do not matter.
    """
    said = " ".join(message.lower().split()).strip(_AROUND)
    folded = " ".join(template.lower().split())
    parts = [part for each in folded.split(VALUE) if (part := each.strip(_AROUND))]
    inside = re.compile(rf"(?<!\w){re.escape(said)}(?!\w)")
    fixed = [said] if said and any(map(inside.search, parts)) else _found(said, parts)
    proves = len(_WORD.findall(" ".join(fixed))) >= _PROVING
    return min(1.0, len(" ".join(fixed)) / len(said)) if proves else 0.0


def begins_as(template: str, message: str) -> bool:
    """Return whether a text and the first fixed part of an error string begin alike, and half the text is explained."""
    if explained(template, message) < _HALF:
        return False
    said = message.lower().strip(_AROUND)
    first = next(filter(None, (_EDGES.sub("", part.lower()) for part in template.split(VALUE))), "")
    return bool(first) and (said.startswith(first) or first.startswith(said))


def differs(template: str, message: str) -> bool:
    """Return whether an error string and a message that it does not explain each have words that the other lacks."""
    fixed, said = (set(_WORD.findall(text.lower())) for text in (template, message))
    return not (fixed <= said or said <= fixed or explained(template, message))


def _found(said: str, parts: Sequence[str]) -> list[str]:
    """Return the fixed parts that a message has in order, the last one cut as the message is; [] if one is missing."""
    found: list[str] = []
    at = 0
    for part in parts:
        place = said.find(part, at)
        if place < 0:
            ends = range(min(len(part), len(said) - at), 1, -1)
            cut = next((part[:end] for end in ends if said.endswith((f" {part[:end]}", f"'{part[:end]}"))), "")
            if cut:
                return [*found, cut]
            return found if len(said[at:].split()) <= _VALUE_WORDS else []
        found.append(part)
        at = place + len(part)
    return found
