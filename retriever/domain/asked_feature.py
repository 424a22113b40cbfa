"""Questions whether something can be done at all, and the words that say what."""

from __future__ import annotations

import re

from common.core.terms import terms_of, words

_ASKS_WHETHER = re.compile(
    r"\W*(?:how (?:do|can|could|would) (?:i|we|you|one)\b|(?:does|do|can|could|is there|are there|is it possible)\b)",
    re.IGNORECASE,
)
_SAID_OF_ANY = frozenset(
    term
    for word in words(
        "add allow also append built builtin call change check class code config configure create custom define delete"
        " different disable enable feature file find function get give handle have help implement integrate make manage"
        " method module need open option own possible project provide read remove run set setting setup something start"
        " stop support supported turn use user using value want way work write"
    )
    for term in terms_of(word)
)
"""What is said of any feature, and what those who ask are or do."""


def feature_words(question: str) -> tuple[str, ...]:
    """
    Return the words that tell the feature that a question asks for, as written; () if it asks for none.

    Adverbs say how, not what.
    """
    if not _ASKS_WHETHER.match(question):
        return ()
    said = (word for word in dict.fromkeys(words(question)) if terms_of(word) and not word.endswith("ly"))
    return tuple(word for word in said if terms_of(word)[0] not in _SAID_OF_ANY)
