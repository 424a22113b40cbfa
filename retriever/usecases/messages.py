"""Compares an error message that somebody saw with the error strings of the code that may have made it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.domain.values import Fact
    from retriever.ports import Snapshot

_WORD = re.compile(r"[^\W\d_]{2,}")
_COMPARED = 400
"""Error strings looked at: full-text search prefers short ones, and the right one may be long."""
_ALIKE = 0.6
"""Share of an error string's words that must stand in the message: its variable parts are not stored."""


def matching_messages(snapshot: Snapshot, message: str) -> list[tuple[Fact, float]]:
    """
    Return error strings that a message was made from, with how alike they are (0 to 1), the most alike first.

    Alike is the F1 measure over words: of the share of the error string that stands in the message, and of the share
    of the message that stands in the error string. So a string that explains more of the message comes first, and a
    short one proves little. Ties keep the order of the full-text search.
    """
    words = set(_WORD.findall(message.lower()))
    found: list[tuple[Fact, float]] = []
    for fact, _ in snapshot.facts.messages(sorted(words), _COMPARED):
        fixed = set(_WORD.findall(fact.value.lower()))
        shared = len(fixed & words)
        if shared and shared / len(fixed) >= _ALIKE and len(fixed) >= min(2, len(words)):
            found.append((fact, 2 * shared / (len(fixed) + len(words))))
    return sorted(found, key=lambda each: -each[1])
