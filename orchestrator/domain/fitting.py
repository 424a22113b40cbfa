"""Keeps what a call of the engine is shown within the whole budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.evidence import EvidenceKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from orchestrator.domain.evidence import Evidence


# What label, place and reason of a piece cost in a prompt.
_HEADING_TOKENS = 30


def fit(evidence: Sequence[Evidence], max_tokens: int) -> tuple[Evidence, ...]:
    """
    Return the evidence that fits, in order of supply.

    What was fetched for a gap stays before what came first: the engine asked for it. Within a pass, earlier is better;
    the documentation of a symbol whose source is shown comes last, as it says that again. A piece that does not fit is
    passed over; the next smaller one may still do.
    """
    shown = {each.symbol.definition for each in evidence if each.symbol and each.kind is EvidenceKind.SOURCE}
    by_need = sorted(
        range(len(evidence)), key=lambda at: (_is_told_by(evidence[at], shown), evidence[at].pass_number == 1, at)
    )
    kept, left = set(), max_tokens
    for at in by_need:
        tokens = evidence[at].tokens + _HEADING_TOKENS
        if tokens <= left:
            kept.add(at)
            left -= tokens
    if len(kept) == len(evidence):
        return tuple(evidence)  # a tuple itself, which the answer's state has too
    return tuple(each for at, each in enumerate(evidence) if at in kept)


def _is_told_by(evidence: Evidence, shown: Collection[tuple[str, str]]) -> bool:
    """Tell documentation of a definition whose source is among those that are shown."""
    symbol = evidence.symbol
    return evidence.kind is EvidenceKind.DOC and symbol is not None and symbol.definition in shown
