"""Texts that source has within quotation marks, and what of a message they say."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from common.core.terms import count_terms

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Evidence

_QUOTED = re.compile(r"([\"'`])(.{4,300}?)\1")
_TEXT_LINES = 4


def quoted_share(evidence: Evidence, wanted: frozenset[str]) -> float:
    """
    Return the largest share of some terms that one text of source has within quotation marks.

    A text may go on over a few lines, each of which then has a part of it.
    """
    quoted = [quoted_terms(line) for line in evidence.text.splitlines()]
    best = 0
    for first in range(len(quoted)):
        held: frozenset[str] = frozenset()
        for terms in quoted[first : first + _TEXT_LINES]:
            if not terms:
                break
            held |= terms
            best = max(best, len(wanted & held))
    return best / max(1, len(wanted))


@lru_cache(maxsize=1 << 11)
def quoted_terms(line: str) -> frozenset[str]:
    """Return the terms within the quotation marks of a line; kept, since the sections of an answer ask for the same."""
    text = " ".join(match[2] for match in _QUOTED.finditer(line))
    return frozenset(count_terms(text)) if text else frozenset()
