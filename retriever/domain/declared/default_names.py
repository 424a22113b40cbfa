"""Recognises definitions with default settings by their names."""

from __future__ import annotations

from common.core.words.terms import split_identifier, terms_of, words

_OF_ANY = frozenset(
    {"config", "configuration", "conf", "internals", "option", "options", "setting", "settings", "values"}
)
"""Parts of names that mean settings in general."""


def holds_defaults(name: str, asked: str) -> bool:
    """Return whether a name has "default", and besides it only words for settings and words of the question."""
    parts = [each.lower() for each in split_identifier(name)]
    rest = [each for each in parts if each not in {"default", "defaults", "get", "init", "set"}]
    said = {term for word in words(asked) for term in terms_of(word)}
    is_said = all(each in _OF_ANY or not said.isdisjoint(terms_of(each)) for each in rest)
    return len(rest) < len(parts) and is_said and (bool(rest) or "defaults" in parts)
