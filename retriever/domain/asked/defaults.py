"""Questions for all that is set by default, and what holds that in code."""

from __future__ import annotations

import re

from common.core.terms import split_identifier, terms_of, words

_KIND = r"(?:settings?|options?|config(?:uration)?s?)"
_ASKED = re.compile(
    rf"\W*(?:which|what) (?P<one>{_KIND} [^?\n]{{0,40}}?\bby default)\W*\Z"
    rf"|\W*(?:which|what|where|list|show)\b[^?\n]{{0,20}}?\b(?P<other>default (?:\w+ )?{_KIND})\b"
    r"(?: (?:are|defined|for|in|is|kept|of|set)\b[^?\n]{0,30})?\W*\Z",
    re.IGNORECASE,
)
_LONGEST = 100
_OF_ANY = frozenset(
    {"config", "configuration", "conf", "internals", "option", "options", "setting", "settings", "values"}
)
"""Parts of names that say that something is set."""


def defaults_asked(question: str) -> str:
    """Return the words by which a question asks for all that is set by default; "" for another question."""
    found = _ASKED.match(question) if len(question) <= _LONGEST else None
    return (found["one"] or found["other"]) if found else ""


def holds_defaults(name: str, asked: str) -> bool:
    """Tell a name that says defaults, what is set, and no more than the words by which it is asked for."""
    parts = [each.lower() for each in split_identifier(name)]
    rest = [each for each in parts if each not in {"default", "defaults", "get", "init", "set"}]
    said = {term for word in words(asked) for term in terms_of(word)}
    is_said = all(each in _OF_ANY or not said.isdisjoint(terms_of(each)) for each in rest)
    return len(rest) < len(parts) and is_said and (bool(rest) or "defaults" in parts)
