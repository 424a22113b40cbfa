"""Error messages that a question quotes, and whether the evidence shows the code that creates them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind
from common.core.contract.understanding import Relation
from common.core.words.terms import count_terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.question import Anchors
    from orchestrator.domain.evidence.piece import Evidence

_HOLDING = (BasisKind.MESSAGE, BasisKind.NEAR_MESSAGE, BasisKind.TEXT)


def _holds_nearly(evidence: Evidence) -> bool:
    """Return whether the retriever matched a piece to a message that is only similar to the quoted one."""
    return evidence.based_on(BasisKind.NEAR_MESSAGE) is not None


def unseen_messages(anchors: Anchors, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """
    Return the quoted messages whose creation no piece of evidence shows.

    A piece shows it if the retriever matched it to this message, or if its text has the words of the message one after
    the other, with any signs between them: code may escape it. A message that is only similar does not count.
    """
    held = {message for each in evidence if not _holds_nearly(each) for message in _held(each, anchors.error_messages)}
    nearly = {message for each in evidence if _holds_nearly(each) for message in _held(each, anchors.error_messages)}
    open_ones = [each for each in anchors.error_messages if each not in held]
    texts = [_words(piece.text) for piece in evidence] if open_ones else []
    return tuple(each for each in open_ones if each in nearly or not any(_words(each) in text for text in texts))


def _words(text: str) -> str:
    return f" {' '.join(words(text))} "


def _held(evidence: Evidence, messages: Sequence[str]) -> list[str]:
    """Return the messages for which a piece was retrieved: those that share most terms with its matched text."""
    text = _text_of(evidence)
    if text is None:
        return []
    terms = set(count_terms(text))
    shared = [len(terms.intersection(count_terms(message))) for message in messages]
    most = max(shared, default=0)
    # A text of stop words alone fits every message. One with terms but none shared is of an earlier question's message.
    return [each for each, count in zip(messages, shared, strict=True) if count == most] if most or not terms else []


def _text_of(evidence: Evidence) -> str | None:
    """Return the text that a piece was retrieved for; of a list of code that raises a message, its name."""
    users = evidence.users
    if users and users.relation is Relation.RAISES and " " in users.name:
        return users.name
    found = evidence.based_on(*_HOLDING, BasisKind.CONSTANT)
    return found.text if found else None
