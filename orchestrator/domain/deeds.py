"""What a question asks whether something does it: what does not speak of the deed answers another question."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from common.core.spellings import spellings
from common.core.terms import split_identifier, terms_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASKED = re.compile(
    r"\W*(?:does|do|did|will|can|could)\s+(?!(?:i|we|you|one|anyone|anybody|someone|somebody)\b)"
    r"(?:(?:the|this|an?)\s+)?[^\s?]+\s+(?P<deed>[^?\n]{3,80}?)\W*\Z",
    re.IGNORECASE,
)
_LONGEST = 100
"""Characters of a question; longer ones say much in passing."""
_SAID_OF_ANY = frozenset(
    form
    for word in words(
        "accept actually against allow already alternative always any anything automatic automatically behave"
        " behavior behaviour built come consider custom default different enable ever every exist feature files"
        " function functionality good handle have implement implementation include internally kind know let"
        " library method mode multiple offer often option own package perform possible provide really recognize"
        " respect separate several ship some something specific still support supports tolerate twice type want"
        " way work"
    )
    for form in spellings(word)
)
"""What is said of any deed: the next word tells it."""
_DENIED = re.compile(r"\b(?:not|no|never|without)\b|n't\b", re.IGNORECASE)
_FEW = 2
NOT_ABOUT = "No definition or page that was found is about"
"""How an answer begins that has nothing of the deed to tell."""


def unsaid_deed(question: str, text: str) -> tuple[str, ...]:
    """
    Return the words of a deed that a text lacks, if a question asks whether something does it; () if it speaks of it.

    A text that has the first telling word, in any form, and half of all, or both of two, speaks of it.
    """
    asked = deed(question)
    if not asked:
        return ()
    told = {form for word in set(words(text)) for form in _forms(word)}
    missing = [word for word in asked if told.isdisjoint(spellings(word))]
    if not missing or (asked[0] not in missing and len(asked) > _FEW and 2 * len(missing) <= len(asked)):
        return ()
    return tuple(missing)


def together(asked: Iterable[str], told: Iterable[str]) -> str:
    """Return words as a clause, given what all texts say: those that none has, or all, where each is said somewhere."""
    said = {form for text in told for word in set(words(text)) for form in _forms(word)}
    nowhere = [word for word in asked if said.isdisjoint(spellings(word))]
    return " or ".join(map(quoted, nowhere)) or " together with ".join(map(quoted, asked))


def quoted(word: str) -> str:
    """Return a word of a question as answers say it."""
    return f"“{word}”"


def deed(question: str) -> tuple[str, ...]:
    """Return the telling words of what a question asks whether something does; () if it asks for no such thing."""
    found = _ASKED.match(question) if len(question) <= _LONGEST else None
    if found is None or _DENIED.search(found["deed"]):
        return ()
    said = (word for word in words(found["deed"]) if terms_of(word) and not word.endswith("ly"))
    return tuple(word for word in dict.fromkeys(said) if spellings(word)[0] not in _SAID_OF_ANY)


@lru_cache(maxsize=1 << 14)
def _forms(word: str) -> frozenset[str]:
    """Return all forms of a word of a text, or of an identifier and its parts."""
    return frozenset(form for part in (word, *split_identifier(word)) for form in spellings(part))
