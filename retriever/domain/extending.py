"""Questions how to add one more of a kind of thing: another rule, router or format."""

from __future__ import annotations

import re

from common.core.terms import split_identifier, terms_of, words
from retriever.domain.asked_feature import spellings

_BY_WHOM = r"\bhow (?:do|can|should|would|could) (?:i|we|you|one) "
_MORE = r"(?:support for|another|own|new|custom|further|additional|one more)"
_FILLERS = rf"(?:(?:{_MORE}|an?|my|our|the) )*"
_ASKED = re.compile(
    rf"{_BY_WHOM}(?:implement|plug in|(?:add|write|create|make|build|define|provide) (?={_FILLERS}{_MORE})) ?"
    rf"{_FILLERS}(?P<kind>[^?.!,\n]{{3,60}})",
    re.IGNORECASE,
)
"""Who adds "a route" uses the code; who adds "a new kind of route" extends it."""
_OF_ANY = frozenset({"implementation", "support", "custom", "new", "own", "another", "type", "kind", "class", "code"})
_AROUND_NAMES = frozenset({"i", "abstract", "base", "factory", "interface", "default", "impl"})
"""Parts of names that say how a type is made, not what it is."""
_LEAST_LETTERS = 3


def kind_to_extend(question: str) -> tuple[frozenset[str], ...]:
    """Return, for each word that says what is to be added, the terms by which code may write it; () if nothing is."""
    found = _ASKED.search(question)
    said = [word for word in words(found["kind"]) if word.lower() not in _OF_ANY and terms_of(word)] if found else []
    return tuple(frozenset(spellings(word)) for word in said)


def covered(name: str, kind: tuple[frozenset[str], ...]) -> float:
    """
    Return how much a type's name says of a kind of thing, 0 to 1; 0.0 if its last part is none of it.

    Args:
        kind: As `kind_to_extend` returns it.
    """
    parts = [part.lower() for part in split_identifier(name) if part.lower() not in _AROUND_NAMES]
    if not parts or not kind or len(parts[-1]) < _LEAST_LETTERS:
        return 0.0
    forms = [frozenset(spellings(part)) if terms_of(part) else frozenset[str]() for part in parts]
    told = [any(form & word for form in forms) for word in kind]
    own = [any(form & word for word in kind) for form in forms]
    return (sum(told) / len(told) + sum(own) / len(own)) / 2 if own[-1] else 0.0
