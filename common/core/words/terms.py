"""
Text as terms: the analyzer that the lexical index is written with and queries are read with.

Both sides must use this file alike; a change of what it returns is a change of `ANALYZER_VERSION`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ANALYZER_VERSION = 1

_MAX_WORD = 64
"""Longer runs of letters are data (hashes, base64), not words."""

_WORD = re.compile(r"[^\W\d]\w+|\d{3,}")
_WORD_OF_ASCII = re.compile(r"[A-Za-z_][A-Za-z0-9_]+|[0-9][0-9][0-9]+")
"""Equivalent of `_WORD` for ASCII text, twice as fast."""
_VOWEL = re.compile(r"[aeiouy]")

_STOP_WORD_TEXT = """
a about after all also am an and any are as at be because been before being between both but by can cannot could
did do does doing don done down each either else few for from further get had has have having he her here him his
how i if in into is isn it its itself just let like ll made make many may me might more most much must my need no
nor not now of off on once only or other our out over own please re same she should since so some still such than
that the their them then there these they thing this those through to too under until up use used using ve very
was we were what when where whether which while who whom why will with without would you your
cls def elif false none null return self this true
"""
STOP_WORDS = frozenset(_STOP_WORD_TEXT.split())
"""English function words, and keywords that nearly every function has."""


def words(text: str) -> list[str]:
    """Return the identifiers and words of a text in order, as written; numbers of three digits or more count."""
    return (_WORD_OF_ASCII if text.isascii() else _WORD).findall(text)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, each as often as it occurs."""
    return [term for word in words(text) for term in terms_of(word)]


def count_terms(text: str) -> dict[str, int]:
    """Count the terms of a text, in order of first occurrence."""
    return count_words(words(text))


def count_words(found: Iterable[str]) -> dict[str, int]:
    """Count the terms of words as `words` returns them, in order of first occurrence."""
    counts: dict[str, int] = {}
    for word, number in Counter(found).items():
        for term in terms_of(word):
            counts[term] = counts.get(term, 0) + number
    return counts


@lru_cache(maxsize=1 << 17)
def terms_of(word: str) -> tuple[str, ...]:
    """
    Return the terms of one identifier or word, lower case.

    `parse_HTTPHeader2` gives `parsehttpheader2`, `pars`, `http`, `header`: the whole without underscores, so that
    spellings meet, and the stemmed parts. Stop words and single characters are left out.
    """
    if len(word) > _MAX_WORD:
        return ()
    parts = [part.lower() for part in split_identifier(word)]
    kept = tuple(stem(part) for part in parts if len(part) > 1 and part not in STOP_WORDS)
    if len(parts) < 2:
        return kept
    return ("".join(parts), *kept)


def split_identifier(word: str) -> list[str]:
    """Split at underscores, where digits begin or end, and at humps: `getHTTPResponse` is get, HTTP, Response."""
    parts: list[str] = []
    for piece in word.split("_"):
        start = 0
        for cut in _boundaries(piece):
            parts.append(piece[start:cut])
            start = cut
        if piece[start:]:
            parts.append(piece[start:])
    return parts


def _boundaries(piece: str) -> list[int]:
    if piece.isalpha() and (piece.islower() or piece.isupper() or piece[1:].islower()):
        return []
    cuts = []
    for at, (left, right) in enumerate(pairwise(piece), 1):
        hump = left.islower() and right.isupper()
        acronym_ends = left.isupper() and right.isupper() and piece[at + 1 : at + 2].islower()
        if hump or acronym_ends or left.isdigit() != right.isdigit():
            cuts.append(at)
    return cuts


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """
    Fold inflections of a lower-case English word; anything else is returned unchanged.

    The plural rules are Harman's S stemmer (JASIS 1991); -ing, -ed and final -e go where three letters with a vowel
    stay.
    """
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _without_ending(_singular(word))


def _singular(word: str) -> str:
    if word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and word[-2] not in "us" and not word.endswith(("is", "as")):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    for ending in ("ing", "ed", "e"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWEL.search(base):
            doubled = ending != "e" and base[-1] == base[-2] and base[-1] not in "lsz"
            return base[:-1] if doubled else base
    return word
