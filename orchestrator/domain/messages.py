"""Error messages that a question quotes, and whether the evidence shows where they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.basis import BasisKind
from orchestrator.domain.evidence import EvidenceKind, Relation
from orchestrator.domain.quoted_texts import quoted_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.question import Anchors

_HOLDING = (BasisKind.MESSAGE, BasisKind.NEAR_MESSAGE, BasisKind.TEXT)
_MOST = 2 / 3


def holds_message(evidence: Evidence) -> bool:
    """Tell whether a piece is there because it holds a message, or a constant with its text."""
    return evidence.based_on(*_HOLDING, BasisKind.CONSTANT) is not None


def held_text(evidence: Evidence) -> str:
    """Return the text of the code by which the retriever found a message in a piece; "" if it stands elsewhere."""
    found = evidence.based_on(*_HOLDING)
    return found.text if found else ""


def holds_nearly(evidence: Evidence) -> bool:
    """Tell whether the message that a piece is there for is not quite the one that was quoted."""
    return evidence.based_on(BasisKind.NEAR_MESSAGE) is not None


def unseen_messages(anchors: Anchors, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """
    Return the quoted messages that no piece of evidence shows being made.

    One does if the retriever matched it to this message, or if one text of its code has more than two thirds of the
    message's terms: what is scattered over a piece says nothing, nor does a message that is nearly the same.
    """
    held = {message for each in evidence if not holds_nearly(each) for message in _held(each, anchors.error_messages)}
    nearly = {message for each in evidence if holds_nearly(each) for message in _held(each, anchors.error_messages)}
    open_ones = [each for each in anchors.error_messages if each not in held]
    code = [each for each in evidence if open_ones and each.kind is not EvidenceKind.DOC]
    return tuple(each for each in open_ones if each in nearly or not _is_in(frozenset(count_terms(each)), code))


def _held(evidence: Evidence, messages: Sequence[str]) -> list[str]:
    """Return the messages that a piece is there for: those that have most of the text which it holds."""
    text = _text_of(evidence)
    if text is None:
        return []
    terms = set(count_terms(text))
    shared = [len(terms.intersection(count_terms(message))) for message in messages]
    most = max(shared, default=0)
    # A text of words that say nothing tells no message from another; one that has nothing of any is of an earlier one.
    return [each for each, count in zip(messages, shared, strict=True) if count == most] if most or not terms else []


def _text_of(evidence: Evidence) -> str | None:
    """Return the text for which a piece is there; that of those who raise a message is what the list is called."""
    users = evidence.users
    if users and users.relation is Relation.RAISES and " " in users.name:
        return users.name
    found = evidence.based_on(*_HOLDING, BasisKind.CONSTANT)
    return found.text if found else None


def _is_in(terms: frozenset[str], code: Sequence[Evidence]) -> bool:
    return not terms or any(quoted_share(each, terms) > _MOST for each in code)
