"""Selects the evidence of an engine call within the total budget, again for each pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from orchestrator.domain.evidence.piece import Evidence


def by_need(evidence: Sequence[Evidence], cited: Collection[str]) -> list[int]:
    """
    Return the positions of evidence in the order in which a pass needs it, from 0.

    Evidence of earlier passes comes first; within a pass, evidence that the last answer cites; then in order of supply,
    that is, of the requests, the most important first.

    Args:
        cited: Identities of the evidence that the last answer cites.
    """

    def need(at: int) -> tuple[int, bool, int]:
        each = evidence[at]
        return each.pass_number, each.evidence_id not in cited, at

    return sorted(range(len(evidence)), key=need)


def fit(evidence: Sequence[Evidence], max_tokens: int, cited: Collection[str] = ()) -> tuple[Evidence, ...]:
    """
    Return the evidence that fits, in order of supply.

    A piece that does not fit is skipped; a smaller piece that is needed less may still fit.
    """
    kept, left = set(), max_tokens
    for at in by_need(evidence, cited):
        if evidence[at].prompt_tokens <= left:
            kept.add(at)
            left -= evidence[at].prompt_tokens
    if len(kept) == len(evidence):
        return tuple(evidence)  # `tuple` returns a tuple itself, so that the answer's state and the pass share one
    return tuple(each for at, each in enumerate(evidence) if at in kept)
