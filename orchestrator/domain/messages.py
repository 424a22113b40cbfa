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

    One does if the retriever matched it to this message, or if one of its lines has more than half of the message's
    terms: those that are scattered over many lines say nothing.
    """
    held = {message for each in evidence for message in _held(each, anchors.error_messages)}
    unheld = tuple(message for message in anchors.error_messages if message not in held)
    lines = [line for each in evidence for line in each.text.splitlines()] if unheld else []
    return tuple(message for message in unheld if not _is_in(set(count_terms(message)), lines))


def _held(evidence: Evidence, messages: Sequence[str]) -> list[str]:
    """Return the messages that a piece is there for: those that have most of the text which it holds."""
    found = _HOLDING.match(evidence.reason)
    if found is None:
        return []
    text = set(count_terms(evidence.reason[found.end() :]))
    shared = [len(text.intersection(count_terms(message))) for message in messages]
    most = max(shared, default=0)
    # A text of words that say nothing tells no message from another; one that has nothing of any is of an earlier one.
    return [each for each, count in zip(messages, shared, strict=True) if count == most] if most or not text else []


def _is_in(terms: set[str], lines: Sequence[str]) -> bool:
    if not terms:
        return True
    likely = (line for line in lines if any(term in line.lower() for term in terms))
    return any(len(terms & set(count_terms(line))) * 2 > len(terms) for line in likely)
