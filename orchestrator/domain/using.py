"""Lists of those who have to do with something, as the retriever writes them: what they are about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind

if TYPE_CHECKING:
    from orchestrator.domain.evidence import Evidence, SymbolRef

_DONE = "called|extended|implemented|overridden|used|tested|set|raised|caught|imported"
_RELATION = rf"is (?:{_DONE}) by|calls|can fail in|requires"
_REASON = re.compile(rf"(\S+) ({_RELATION})")
"""The reason that the retriever gives for such a list."""
HEAD = re.compile(rf"(\S+)(?: \((.+)\))? ({_RELATION}) (\d+)")
"""Its first line: the thing, its place if it is defined here, and how many there are."""


def thing_used(evidence: Evidence) -> str:
    """Return the name of the thing whose users a piece lists; "" for any other piece."""
    found = _REASON.fullmatch(evidence.reason) if evidence.kind is EvidenceKind.FLOW else None
    return found[1] if found else ""


def relation_told(evidence: Evidence) -> str:
    """Return how a list says it of its thing, for example "is called by"; "" for any other piece."""
    found = _REASON.fullmatch(evidence.reason) if evidence.kind is EvidenceKind.FLOW else None
    return found[2] if found else ""


def finds_nobody(evidence: Evidence) -> bool:
    """Tell a list without anybody."""
    head = HEAD.match(evidence.text) if thing_used(evidence) else None
    return head is not None and head[4] == "0"


def definition_used(evidence: Evidence) -> SymbolRef | None:
    """Return the definition of the thing that a list is about; None where it has none here."""
    head = HEAD.match(evidence.text)
    return evidence.mentions[0] if head and head[2] and evidence.mentions else None
