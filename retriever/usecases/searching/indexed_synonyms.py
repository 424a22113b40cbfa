"""Finds indexed synonyms for words of a question that the index does not have."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.spellings import spellings
from common.core.words.synonyms import synonyms_of
from common.core.words.terms import count_terms, terms_of, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Snapshot

_PAGES = 30
"""Pages nearest to the words that are looked at."""
_WORDS = 40
"""Most words of a question that are looked up; longer questions need no synonyms."""


def indexed_synonyms(snapshot: Snapshot, question: str) -> tuple[str, ...]:
    """Return the index's synonyms of the words of a question that it lacks."""
    ways = synonyms_by_word(snapshot, words(question)[:_WORDS]).values() if not snapshot.lexical.problem else ()
    return tuple(dict.fromkeys(word for each in ways for way in each for word in way))


def synonyms_by_word(snapshot: Snapshot, asked: Sequence[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """
    Map each word that the index lacks to the synonyms of it that the index has.

    Two neighbouring words of a question may have a synonym together: "rate limiting" is throttling.
    """
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for said in (*((word,) for word in asked), *pairwise(asked)):
        if not (synonyms_of(*said) and not is_indexed(snapshot, said)):
            continue
        if ways := tuple(way for way in synonyms_of(*said) if is_indexed(snapshot, way)):
            found |= dict.fromkeys(said, ways)
    return found


def is_indexed(snapshot: Snapshot, way: Sequence[str]) -> bool:
    """Return whether a file has a word in any form; of several words, a definition or page has all."""
    forms = [spellings(word) or terms_of(word) for word in way]
    if len(forms) == 1:
        return bool(forms[0]) and bool(snapshot.lexical.postings(forms[0]).files.units.size)
    terms = list(dict.fromkeys(term for each in forms for term in each))
    found = snapshot.lexical.postings(terms).symbols
    units = [found.units[np.isin(found.terms, [terms.index(each) for each in form])] for form in forms]
    shared = units[0]
    for each in units[1:]:
        shared = np.intersect1d(shared, each)
    if shared.size:
        return True
    for page, _ in snapshot.documents.search(tuple(way), _PAGES):
        held = count_terms(f"{page.title} {page.body}").keys()
        if all(held & set(form) for form in forms):
            return True
    return False
