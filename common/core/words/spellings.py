"""Forms of a word: inflected and derived ones, in British and American spelling."""

from __future__ import annotations

import re

from common.core.words.terms import stem, terms_of

_ENDINGS = (
    "s", "al", "ally", "er", "ers", "or", "ors", "able", "ible", "ion", "ions", "ation", "ations", "ment", "ments",
    "ness", "ity", "ful", "y", "ic", "ive", "ing", "ed", "ance", "ence",
)  # fmt: skip
_LEAST_STEM = 4
_BRITISH = (
    ("is(e|ed|ing|ation|)$", r"iz\1"),
    ("iz(e|ed|ing|ation|)$", r"is\1"),
    ("our", "or"),
    ("or$", "our"),
    ("yse", "yze"),
    ("ll(ed|ing)$", r"l\1"),
)


def spellings(word: str) -> tuple[str, ...]:
    """Return the terms of the forms of a word, that of the word itself first; () for a word that has no term."""
    if not terms_of(word):
        return ()
    own, plain = terms_of(word)[0], word.lower()
    bare = (plain.removesuffix(ending) for ending in _ENDINGS if plain.endswith(ending))
    forms = [own, *(form for form in bare if len(form) >= _LEAST_STEM)]
    # Without "ed", "retried" is "retri", not "retry"; so both endings are tried.
    forms += [f"{plain[:-3]}y"] if plain.endswith("ied") else [f"{plain[:-1]}i"] if plain.endswith("y") else []
    forms += [re.sub(there, here, form) for form in (plain, *forms) for there, here in _BRITISH]
    return tuple(dict.fromkeys((own, *map(stem, forms))))
