"""Compares an error message that somebody saw with the error strings of the code that may have made it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.domain.values import Fact
    from retriever.ports import Snapshot

_WORD = re.compile(r"[^\W\d_]{2,}")
_COMPARED = 20
_ALIKE = 0.6
"""Share of an error string's words that must stand in the message: its variable parts are not stored."""
_FULL = 4
"""An error string of fewer words than this proves less."""


def matching_messages(snapshot: Snapshot, message: str) -> list[tuple[Fact, float]]:
    """Return error strings that a message was made from, with how surely (0 to 1), the surest first."""
    words = {word.lower() for word in _WORD.findall(message)}
    found: list[tuple[Fact, float]] = []
    for fact, _ in snapshot.facts.messages(sorted(words), _COMPARED):
        fixed = [word.lower() for word in _WORD.findall(fact.value)]
        share = sum(word in words for word in fixed) / len(fixed) if fixed else 0.0
        if share >= _ALIKE and len(fixed) >= min(2, len(words)):
            found.append((fact, share * min(1.0, len(fixed) / _FULL)))
    return sorted(found, key=lambda each: -each[1])
