"""Error strings with values left out, and whether a message that somebody saw was made from one."""

from __future__ import annotations

import re

VALUE = "{}"
"""What stands for a value in an error string, whatever its language writes."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PROVING = 3
"""Fewer fixed words say too little."""
_AROUND = " \t\n?!.,;:'\"`…"


def explained(template: str, message: str) -> float:
    """
    Return the share of a message's characters that the fixed parts of an error string explain; 0.0 if it was not made so.

    The fixed parts stand in the message in their order. It may be cut: end within one of them, or lie in one as a
    whole; and it may say more before the first and behind the last. Case and the number of blanks do not count.
    """
    said = " ".join(message.lower().split()).strip(_AROUND)
    parts = [part for part in " ".join(template.lower().split()).split(VALUE) if part.strip(_AROUND)]
    at, found = 0, ""
    for part in parts:
        place = said.find(part.strip(), at)
        if place < 0:
            found += _rest(said, at, part.strip())
            break
        at = place + len(part.strip())
        found += part
    else:
        return len(found) / len(said) if _proves(found) else 0.0
    return min(1.0, len(found) / len(said)) if at + 1 <= len(said) and _proves(found) and _ends(said, found) else 0.0


def _rest(said: str, at: int, part: str) -> str:
    """Return the beginning of a part with which a cut message ends, or all of a message that lies in it."""
    if at == 0 and said in part:
        return said
    return next((part[:end] for end in range(min(len(part), len(said) - at), 0, -1) if said.endswith(part[:end])), "")
