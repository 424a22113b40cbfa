"""Splits drafts into those that answer a question by themselves and those that accompany the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import Draft, EvidenceRole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_FIRST = (
    EvidenceRole.UNHELD,
    EvidenceRole.USERS,
    EvidenceRole.ERROR_SITE,
    EvidenceRole.ROUTE,
    EvidenceRole.SETTING,
    EvidenceRole.MATCH,
)
"""Roles of drafts that answer a question by themselves, the surest first: each was found by a name in it."""
_LAST = (
    EvidenceRole.FLOW,
    EvidenceRole.STRUCTURE,
    EvidenceRole.FINDINGS,
    EvidenceRole.DIAGRAM,
    EvidenceRole.DOCUMENT,
)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Drafts that are placed before source is chosen, and those that are shown after it."""

    first: tuple[Draft, ...]
    last: tuple[Draft, ...]


def in_order(drafts: Iterable[Draft], known: Collection[str]) -> Ordered:
    """Sort drafts by role, stable within a role; drafts whose evidence id is `known` are dropped."""
    waiting = [each for each in drafts if each.evidence_id not in known]
    return Ordered(_of(waiting, _FIRST), _of(waiting, _LAST))


def _of(drafts: Iterable[Draft], roles: tuple[EvidenceRole, ...]) -> tuple[Draft, ...]:
    found = [each for each in drafts if each.role in roles]
    return tuple(sorted(found, key=lambda each: roles.index(each.role)))
