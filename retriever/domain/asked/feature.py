"""Questions whether something can be done at all, and the words that say what."""

from __future__ import annotations

import re

from common.core.terms import terms_of, words

_ASKS_WHETHER = re.compile(
    r"\W*(?:how (?:do|can|could|would) (?:i|we|you|one)\b"
    r"|(?:do|can|could) (?!you\b)\w|(?:does|is there|are there|is it possible)\b)",
    re.IGNORECASE,
)
"""Whoever asks "can you explain", or "do you know", asks for an explanation."""
_ASKS_WHERE = re.compile(r"\W*where (?:does|do)\b", re.IGNORECASE)
"""Takes for granted that something is there: only names are told not to be."""
_SAID_OF_ANY = frozenset(
    term
    for word in words(
        "actually add allow already also alternative always another anything append application approach ask"
        " automatic avoid bad before best better big bring bug build built builtin call cause certain change cheap"
        " check choose class clean clear code codebase come common config configure control convenient convert"
        " correct create current custom customize deal decide default define delete describe detect determine"
        " different directly disable do easy effective efficient elegant enable end ensure error even every example"
        " exist existing expect explain extend extra fail failed failing failure"
        " false fast faster fastest feature file find fine first fix follow"
        " force function generally get give go good guide handle happen happening have help here implement improve"
        " include instead integrate internally issue keep kind know last learn let library like list little long"
        " look lot main make manage many mean method mode modify module multiple need never new nice note obtain"
        " often rarely seldom sometimes soon"
        " old once one open option order own package part pass people please plug point possible practice prefer"
        " prevent problem program project proper provide put quick quickly read real really reason recommend"
        " recommended reduce remove repo repository require return right run safe same see send separate set setting"
        " setup several short show similar simple simpler simplest single slow small smart solve some someone something"
        " sort source specific specify start still stop stuff support supported sure take tell thing think time"
        " together tool total track trick true try turn twice understand unlike update use useful user using usual"
        " value version via want way whole without work workaround write wrong"
    )
    for term in terms_of(word)
)
"""What is said of any feature, and what those who ask are or do."""


def feature_words(question: str) -> tuple[str, ...]:
    """
    Return the words that tell the feature that a question asks for, as written; () if it asks for none.

    Adverbs say how, not what.
    """
    is_place = _ASKS_WHERE.match(question) is not None
    if not _ASKS_WHETHER.match(question) and not is_place:
        return ()
    said = (word for word in dict.fromkeys(words(question)) if terms_of(word) and not word.endswith("ly"))
    told = tuple(word for word in said if terms_of(word)[0] not in _SAID_OF_ANY)
    return tuple(word for word in told if is_name_like(word, question)) if is_place else told


def is_name_like(word: str, question: str) -> bool:
    """Tell whether a word is written as names are: with digits, or capitals other than that of the question."""
    told = word[1:] if question.lstrip().startswith(word) else word
    return any(letter.isdigit() or letter.isupper() for letter in told)
