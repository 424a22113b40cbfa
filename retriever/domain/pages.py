"""Which of the pages that match a question go first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.question import RankedDocument

_CHANGE_LOG = re.compile(
    r"(?:^|/)(?:change[-_ ]?(?:log|s)|history|news|releases?|release[-_ ]?notes|what'?s[-_ ]?new)"
    r"(?:[-_ .]?\d[^/]*|\.\w+)?(?:/|$)",
    re.IGNORECASE,
)
"""A file, or any of its folders, with a name that is usual for a list of changes, of one version or of all."""
_WORDS = "changed changelog changes deprecated introduced released releases removed since upgrade version versions"
_ABOUT_CHANGES = frozenset(_WORDS.split())


def present_first(ranked: Iterable[RankedDocument], question: str) -> tuple[RankedDocument, ...]:
    """
    Put lists of changes behind all other pages, each part in its order.

    They hold a few words on everything, as it once was, so that they match any question and explain little. A question
    about changes leaves the order as it is.
    """
    found = tuple(ranked)
    if any(word.lower() in _ABOUT_CHANGES for word in words(question)):
        return found
    return tuple(sorted(found, key=lambda each: _CHANGE_LOG.search(each.document.path) is not None))
