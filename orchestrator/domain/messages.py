"""Error messages that a question quotes, and whether the evidence shows where they are made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.question import Anchors

_HOLDING = re.compile(r"holds the (?:message|text) |uses \S+, which holds ")
"""How the retriever's reasons begin where it found a message, or a constant with its text."""
_HELD = re.compile(r"holds the (?:message|text) (['\"])(.+)\1$", re.DOTALL)


def holds_message(evidence: Evidence) -> bool:
    """Tell whether a piece is there because it holds a message, or a constant with its text."""
    return _HOLDING.match(evidence.reason) is not None


def held_text(evidence: Evidence) -> str:
    """Return the text of the code by which the retriever found a message in a piece; "" if it does not say it."""
    found = _HELD.match(evidence.reason)
    return found[2] if found else ""


def unseen_messages(anchors: Anchors, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """
    Return the quoted messages that no piece of evidence shows being made.

    One does if the retriever matched it, or if one of its lines has more than half of the message's terms: those that
    are scattered over many lines say nothing.
    """
    if not anchors.error_messages or any(map(holds_message, evidence)):
        return ()
    lines = [line for each in evidence for line in each.text.splitlines()]
    return tuple(message for message in anchors.error_messages if not _is_in(set(count_terms(message)), lines))


def _is_in(terms: set[str], lines: Sequence[str]) -> bool:
    if not terms:
        return True
    likely = (line for line in lines if any(term in line.lower() for term in terms))
    return any(len(terms & set(count_terms(line))) * 2 > len(terms) for line in likely)
