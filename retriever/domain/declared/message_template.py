"""Matches a message with the error strings, with placeholders for values, that it may be made from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

VALUE = "{}"
"""Placeholder of a value in an error string, the same for all languages."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PROVING = 3
"""Least fixed words of a string that can prove a match."""
_VALUE_WORDS = 2
_HALF = 0.5
_EDGES = re.compile(r"\A\W+|\W+\Z")
_AROUND = " ?!.,;:'\"`…"
"""What a question puts around a message that it quotes."""


def explained(template: str, message: str) -> float:
    """
    Return the share of a message (0 to 1) that the fixed parts of an error string explain; 0.0 if it is not made so.

    These stand in the message in their order, three words of them at least. The message may say more before and behind
    them; and it may be cut: end within one of them or in the value after one, or lie in one as a whole. Case does not
    count, nor how many blanks.
    """
    said = " ".join(message.lower().split()).strip(_AROUND)
    folded = " ".join(template.lower().split())
    parts = [part for each in folded.split(VALUE) if (part := each.strip(_AROUND))]
    inside = re.compile(rf"(?<!\w){re.escape(said)}(?!\w)")
    fixed = [said] if said and any(map(inside.search, parts)) else _found(said, parts)
    proves = len(_WORD.findall(" ".join(fixed))) >= _PROVING
    return min(1.0, len(" ".join(fixed)) / len(said)) if proves else 0.0


def begins_as(template: str, message: str) -> bool:
    """Tell a text that begins with the first fixed part of an error string, or lies in it, and is half explained so."""
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
    """Return the parts that a message has, one after the other, the last as far as it goes; [] if it lacks one."""
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
