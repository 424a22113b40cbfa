"""Messages with their varying parts as `{}`."""

from __future__ import annotations

import re
from typing import Final

PLACEHOLDER: Final = "{}"
# Flags and width may both begin with zeros: possessive flags avoid backtracking.
_PERCENT = re.compile(r"%(?:\d+\$)?[-#+0,( ]*+(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh?|ll?|[zjtq])?[a-zA-Z]")


def from_format(text: str) -> str:
    """Replace the directives of a format string, such as `%s` and `%-5.2f`."""
    return _PERCENT.sub(PLACEHOLDER, text.replace("%%", "\0")).replace("\0", "%")


def says_something(text: str) -> bool:
    """Return whether a message has a fixed word."""
    return any(character.isalpha() for character in text.replace(PLACEHOLDER, ""))
