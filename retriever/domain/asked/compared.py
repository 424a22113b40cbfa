"""Questions for the difference of two things of the code."""

from __future__ import annotations

import re

_NAME = r"(?:the |an? )?`?([A-Za-z_$][\w$]{0,99}+(?:(?:\.|::|#)[\w$]{1,99}+){0,9})(?:\(\))?`?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:differences?|distinction)\b[^?.!\n]{{0,30}}?\bbetween {_NAME} (?:and|vs\.?|versus) {_NAME}",
        rf"\bhow (?:does|do|is|are) {_NAME} (?:differ|different) (?:from|to|than) {_NAME}",
        rf"\b{_NAME} (?:vs\.?|versus) {_NAME}",
        rf"\bcompare {_NAME} (?:and|with|to) {_NAME}",
    )
)


def compared_names(question: str) -> tuple[str, str] | None:
    """Return the two names whose difference a question asks for, as written; None if it asks for none."""
    found = next((match for match in (pattern.search(question) for pattern in _PATTERNS) if match), None)
    return (found[1], found[2]) if found else None
