"""Lists of those who have to do with something, as the retriever says them: what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.evidence.piece import ContextSource, EvidenceKind, Relation

if TYPE_CHECKING:
    from orchestrator.domain.evidence.piece import Evidence

_STEP = "\n  "
"""What a line of a tree of calls begins with, below its first."""


def thing_used(evidence: Evidence) -> str:
    """Return the name of the thing whose users a piece lists; "" for any other piece."""
    return evidence.users.name if evidence.users else ""


def relation_listed(evidence: Evidence) -> Relation:
    """Return what those whom a piece lists have to do with its thing; UNSPECIFIED for any other piece."""
    return evidence.users.relation if evidence.users else Relation.UNSPECIFIED


def lists_as_text(evidence: Evidence) -> bool:
    """Tell a list of a retriever of before, as a session may hold it: only its text says it, and has no steps."""
    is_drawn = evidence.kind is EvidenceKind.FLOW and evidence.source is not ContextSource.GAPS
    return is_drawn and evidence.users is None and _STEP not in evidence.text
