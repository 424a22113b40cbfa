"""Confidence of a model's answer, from what it calls not shown and the verdicts on its claims and citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimKind, ClaimVerdict
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.grammar.lexicon import NOT_SHOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import CheckedClaim
    from orchestrator.domain.answers.confidence import ConfidenceThresholds
    from orchestrator.domain.model_text.citing import HeldCitations

_SAYS_LITTLE = frozenset({ClaimKind.EXISTS, ClaimKind.REFERS})
"""Kinds of claims that nearly all answers get right, so that they say little about one."""
_LEAST_HELD = 0.5


@dataclass(frozen=True, slots=True)
class ModelFeatures:
    """
    Features of a model's answer from which its confidence is derived; one row of the calibration table.

    Args:
        citations: Number of citations.
        unshown: Number of things that the answer calls not shown.
        verified: Number of claims that index or source confirm, without those of mere existence.
        contradicted: Number of claims of any kind that index or source refute.
        held: Share of the citations beside names that were neither moved nor dropped.
    """

    citations: int
    unshown: int = 0
    verified: int = 0
    contradicted: int = 0
    held: float = 1.0


def model_features(held: HeldCitations, citations: int, claims: Sequence[CheckedClaim]) -> ModelFeatures:
    """Count missing evidence, claims and citations of an answer."""
    verified = [each for each in claims if each.verdict is ClaimVerdict.VERIFIED]
    return ModelFeatures(
        citations=citations,
        unshown=held.text.casefold().count(NOT_SHOWN),
        verified=sum(each.claim.kind not in _SAYS_LITTLE for each in verified),
        contradicted=sum(each.verdict is ClaimVerdict.CONTRADICTED for each in claims),
        held=held.share,
    )


def decide_model_confidence(features: ModelFeatures, thresholds: ConfidenceThresholds) -> tuple[Confidence, str]:
    """Decide the confidence of a model's answer, with the sentence that says why."""
    against = f"the index contradicts {_count(features.contradicted, 'claim')}"
    if not features.citations:
        return Confidence.LOW, "no place in the source supports the answer."
    if features.contradicted and features.contradicted >= features.verified:
        return Confidence.LOW, f"{against} and verifies {features.verified}."
    if features.held < _LEAST_HELD:
        return Confidence.LOW, f"only {features.held:.0%} of the citations beside names showed these names."
    support = f"{_count(features.citations, 'place')} cited, {_count(features.verified, 'claim')} verified"
    if features.contradicted:
        return Confidence.MEDIUM, f"{support}, but {against}."
    if features.unshown:
        return Confidence.MEDIUM, f"{support}, but the answer says of {_count(features.unshown, 'thing')}: not shown."
    if features.citations < thresholds.high_citations:
        return Confidence.MEDIUM, f"{support}: it rests on a single place."
    return Confidence.HIGH, f"{support}, none contradicted, and nothing is called not shown."


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
