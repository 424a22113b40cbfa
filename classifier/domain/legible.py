"""Whether a text is in words that the rules engine knows: its groups and weights are English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from classifier.domain.features import CODE, READ_CHARS
from classifier.domain.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from classifier.domain.features import Lexicon

ONE_IN = 9
"""Fewer have 2 of 634 English questions and reports, both long lists of versions or calls."""

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*")
_SHARED_TEXT = """
a am an are as come die do had he her in is me more most no of on or over per so under was we were
"""
_SHARED = frozenset(_SHARED_TEXT.split())
"""Words that mean something in other languages too, so that they do not tell which one a text is in."""
_TELLING = STOP_WORDS - _SHARED


def is_legible(text: str, lexicon: Lexicon) -> bool:
    """Return whether one in nine words at least, code aside, is a common English one or in a word group."""
    words = [word.lower() for word in _WORD.findall(CODE.sub(" ", text[:READ_CHARS]))]
    in_groups = {position for position, _ in lexicon.groups(words)}
    known = sum(word in _TELLING or position in in_groups for position, word in enumerate(words))
    return known * ONE_IN >= len(words) > 0
