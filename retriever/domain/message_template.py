"""Error strings whose values are left out, and whether a message that somebody saw was made from one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

VALUE = "{}"
"""What stands for a value in an error string, whatever its language writes."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PROVING = 3
"""Fewer fixed words say too little."""
_VALUE_WORDS = 2
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
    fixed = [said] if any(f" {said} " in f" {part} " for part in parts) else _found(said, parts)
    proves = len(_WORD.findall(" ".join(fixed))) >= _PROVING
    return min(1.0, len(" ".join(fixed)) / len(said)) if proves else 0.0


def differs(template: str, message: str) -> bool:
    """Tell whether an error string and a message that it does not explain each have words that the other lacks."""
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
