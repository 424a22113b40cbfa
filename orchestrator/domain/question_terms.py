"""What a question is about, as terms."""

from __future__ import annotations

import re
from functools import lru_cache

from common.core.terms import count_terms, words

# Words that questions about code are made of, whatever they are about.
_GENERIC = frozenset(
    count_terms(
        "function functions method methods class classes module modules code file files work works happen happens"
        " implement implemented implementation explain show find call called define defined mean purpose trace follow"
        " way thing things part parts work get got example difference one ones two first"
    )
)

# Words by which a question says what it wants to know of a thing, or how that is to be told: answers need not repeat
# them. "Stored" is as well answered by "writes", and "inherits from" by a list of classes.
_WANTED_OF_IT = frozenset(
    count_terms(
        "default defaults value values limit limits maximum minimum max min number depend depends inherit inherits"
        " subclass subclasses extend extends uses user users caller callers write writes written store stores stored"
        " handle handles handling handled locate located compute computed generate generated support supports supported"
        " raise raises happen happens make makes made get set enable configure decide receive coupled coupling circular"
        " cycle cycles imports complex complexity complicated hotspot hotspots largest biggest longest difference"
        " differ differs compare step steps walk break breaks broken affect affected impact change changes rename"
        " signature package packages library libraries dependency dependencies external third party"
    )
)

_HOW_OFTEN = re.compile(r"\bhow (?:many times|often)\b", re.IGNORECASE)
"""Asks for a number, and is about no time."""
_AT_LENGTH = 6
"""Terms from which on a question says more than what it is about."""
_DESCRIBING = 10
"""Different words from which on a question describes what it means rather than names it."""
_ASKS_WHICH = re.compile(
    r"\W*(?:which|list|find|show|name|(?:are|is) there|what (?:are|is) the (?:most|\w+est))\b", re.IGNORECASE
)
"""How a question begins that numbers answer, however long it is."""
_MEASURED = frozenset(
    count_terms(
        "coupled coupling circular cycle cycles cyclic complex complexity complicated hotspot hotspots god largest"
        " biggest longest dead unused"
    )
)


def question_terms(question: str) -> frozenset[str]:
    """Return the terms that tell one question from another; all of them if there are no such."""
    terms = _terms(question)
    return terms - _GENERIC or terms


def subject_terms(question: str) -> frozenset[str]:
    """Return the terms of what a question is about, () for the code as a whole: "which functions are most complex"."""
    return _terms(question) - _GENERIC - _WANTED_OF_IT


def _terms(question: str) -> frozenset[str]:
    return _all_terms(_HOW_OFTEN.sub("", question))


@lru_cache(maxsize=8)
def _all_terms(question: str) -> frozenset[str]:
    """Return all terms; the steps of an answer ask a dozen times, and a question may have 100,000 characters."""
    return frozenset(count_terms(question))


def asks_for_measures(question: str) -> bool:
    """Tell a question that numbers answer: which is the most complex, what is coupled, what is in a circle."""
    return not _MEASURED.isdisjoint(_all_terms(question))


def describes_at_length(question: str) -> bool:
    """Tell a question that says in ten different words and more what it means, which hardly any name does."""
    return len(set(words(question))) >= _DESCRIBING


def is_wordless(question: str) -> bool:
    """Tell a question that is made of function words alone: "why?"."""
    return not _all_terms(question)


def is_vague(question: str) -> bool:
    """Tell a question that names nothing: "how does it work"."""
    return not _all_terms(question) - _GENERIC


def describes_one_thing(question: str) -> bool:
    """
    Tell a question that describes one thing at length from one about a part of the code and what that is like.

    The words of the former may measure something and still want no numbers: "why does it never ...".
    """
    return len(subject_terms(question)) >= _AT_LENGTH and not _ASKS_WHICH.match(question)


def is_file_asked(question: str, path: str) -> bool:
    """Tell a file whose name is made of words of what a question is about, and of half of those at least."""
    about = subject_terms(question)
    called = frozenset(count_terms(path.rpartition("/")[2].partition(".")[0]))
    return called <= about and 0 < len(about) <= 2 * len(called)
