"""Lists of those who have to do with something, as the retriever says them: what they are about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import ContextSource, EvidenceKind, Relation

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Evidence, SymbolRef

_NOT_RESOLVED = re.compile(r"\bnot resolved\b")
_STEP = "\n  "
"""What a line of a tree of calls begins with, below its first."""


def thing_used(evidence: Evidence) -> str:
    """Return the name of the thing whose users a piece lists; "" for any other piece."""
    return evidence.users.name if evidence.users else ""


def relation_listed(evidence: Evidence) -> Relation:
    """Return what those whom a piece lists have to do with its thing; UNSPECIFIED for any other piece."""
    return evidence.users.relation if evidence.users else Relation.UNSPECIFIED


def finds_nobody(evidence: Evidence) -> bool:
    """Tell a list without anybody, or one beside which somebody may be that is not resolved."""
    users = evidence.users
    return users is not None and (not users.count or bool(users.unsure) or any(map(_NOT_RESOLVED.search, users.notes)))


def definition_used(evidence: Evidence) -> SymbolRef | None:
    """Return the definition of the thing that a list is about; None where it has none here."""
    return evidence.users.definition if evidence.users else None


def lists_as_text(evidence: Evidence) -> bool:
    """Tell a list of a retriever of before, as a session may hold it: only its text says it, and has no steps."""
    is_drawn = evidence.kind is EvidenceKind.FLOW and evidence.source is not ContextSource.GAPS
    return is_drawn and evidence.users is None and _STEP not in evidence.text
