"""What a question is about, apart from the words that say how it wants to be answered."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.terms import STOP_WORDS, words
from retriever.domain.question import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORD = re.compile(r"[\w.]+")

_FLOW_WORDS = """
trace follow walk through show explain describe how where flow flows path way steps step sequence me from to
"""
_STRUCTURE_WORDS = """
which what where how module modules package packages component components part parts are is most least more coupled
coupling tightly loosely depend depends dependent dependency dependencies circular cycle cycles architecture
architectural structure structured design quality complex complexity hotspot hotspots god worst biggest smell smells
debt analyze analyse assess review
"""
_WHOLE_TEXT = """
repository repo project codebase code base software system application app library program source overall whole entire
there their here show list give tell explain describe find summarize overview good bad well organized files file folder
folders functions function methods method classes class dead unused never called used nobody nothing any biggest
big large largest long longest heaviest complicated size
"""
_WHOLE_WORDS = frozenset(_WHOLE_TEXT.split())
"""Words that name the repository as a whole, or no part of it, and what it may be measured by."""
_AT_LENGTH = 6
"""Words from which on a question says more than which part it is about."""
_TASK_WORDS: Mapping[Mode, frozenset[str]] = MappingProxyType(
    {
        Mode.EXPLORATORY: frozenset(_FLOW_WORDS.split()),
        Mode.ANALYTICAL: frozenset(_STRUCTURE_WORDS.split()),
    }
)
"""Words by which a question names its kind: as search terms they find symbols that happen to be called like them."""


def subject_of(question: str, mode: Mode) -> str:
    """
    Return the question without the words that name its kind; unchanged if nothing else would remain.

    Only whole lower-case words and the first word go: `Tracer` and `trace_id` stay, and so does `TRACE` but at the
    beginning.
    """
    words = _TASK_WORDS.get(mode, frozenset())

    def kept(match: re.Match[str]) -> str:
        word = match[0]
        spoken = word if match.start() else word.lower()
        return "" if spoken in words else word

    subject = _WORD.sub(kept, question)
    return subject if _WORD.search(subject) else question


def words_of_part(question: str, mode: Mode) -> list[str]:
    """Return what a question says besides what kind it is and that it is about this repository, in lower case."""
    unsaid = STOP_WORDS | _WHOLE_WORDS | _TASK_WORDS.get(mode, frozenset())
    said = (word.lower() for word in words(subject_of(question, mode)))
    return [word for word in said if word not in unsaid]


def is_told_at_length(question: str, mode: Mode) -> bool:
    """Tell a question about one thing, which it describes, from one about a part of the code and what that is like."""
    return len(set(words_of_part(question, mode))) >= _AT_LENGTH
