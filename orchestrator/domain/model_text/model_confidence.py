"""How far a model's answer can be relied on: by what was checked of it, not by what it says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.answers.claims import ClaimKind, ClaimVerdict
from orchestrator.domain.evidence.piece import GapOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.answers.claims import CheckedClaim
    from orchestrator.domain.answers.confidence import ConfidenceThresholds
    from orchestrator.domain.evidence.piece import GapResult
    from orchestrator.domain.model_text.citing import HeldCitations

_SAYS_LITTLE = frozenset({ClaimKind.EXISTS, ClaimKind.REFERS})
"""Kinds that are true of nearly all answers, and show little."""


@dataclass(frozen=True, slots=True)
class ModelFeatures:
    """
    What the confidence of a model's answer is derived from; one row of the table that it is calibrated with.

    Args:
        citations: Places cited, after they were held against their lines.
        held: Share of the citations beside names whose lines showed these names as they were written.
        verified: Claims that index or source show, those of mere existence aside.
        contradicted: Claims of any kind that they refute.
        open: Claims that could not be checked, of the kinds that `verified` counts.
        unresolved: Gaps that stayed open.
        gaps: All gaps.
    """

    citations: int
    held: float
    verified: int
    contradicted: int
    open: int
    unresolved: int
    gaps: int

    @property
    def verified_share(self) -> float:
        """The share of the claims checked that were verified; 0 for none."""
        return self.verified / max(1, self.verified + self.contradicted + self.open)


def model_features(
    held: HeldCitations, citations: int, results: Sequence[GapResult], claims: Sequence[CheckedClaim]
) -> ModelFeatures:
    """Count what was checked of an answer."""
    telling = [each.verdict for each in claims if each.claim.kind not in _SAYS_LITTLE]
    return ModelFeatures(
        citations=citations,
        held=held.share,
        verified=telling.count(ClaimVerdict.VERIFIED),
        contradicted=sum(each.verdict is ClaimVerdict.CONTRADICTED for each in claims),
        open=telling.count(ClaimVerdict.UNCHECKABLE) + telling.count(ClaimVerdict.UNSPECIFIED),
        unresolved=sum(each.outcome is not GapOutcome.RESOLVED for each in results),
        gaps=len(results),
    )


def judge_model_confidence(features: ModelFeatures, thresholds: ConfidenceThresholds) -> tuple[Confidence, str]:
    """Return the level and the one sentence that says why."""
    if against := _against(features, thresholds):
        return Confidence.LOW, f"{against}."
    support = f"{_count(features.citations, 'place')} cited, {_count(features.verified, 'claim')} verified"
    if missing := _missing(features, thresholds):
        return Confidence.MEDIUM, f"{support}, but {missing}."
    return Confidence.HIGH, f"{support}, none contradicted, and nothing stayed open."


def _against(features: ModelFeatures, thresholds: ConfidenceThresholds) -> str:
    if not features.citations:
        return "no place in the source supports the answer"
    if features.contradicted and features.contradicted >= features.verified:
        return f"the index contradicts {_count(features.contradicted, 'claim')} and verifies {features.verified}"
    if features.held < thresholds.medium_held:
        return f"only {features.held:.0%} of the citations beside names showed these names"
    if features.gaps > 1 and features.unresolved / features.gaps > thresholds.max_unresolved_share:
        return f"{features.unresolved} of {features.gaps} things that were missing stayed open"
    return ""


def _missing(features: ModelFeatures, thresholds: ConfidenceThresholds) -> str:
    if features.contradicted:
        return f"the index contradicts {_count(features.contradicted, 'claim')}"
    if features.unresolved:
        return f"{features.unresolved} of {_count(features.gaps, 'missing thing')} stayed open"
    if features.citations < thresholds.high_citations:
        return "it rests on a single place"
    if features.held < thresholds.high_held:
        return f"only {features.held:.0%} of the citations beside names showed these names"
    if features.verified < thresholds.high_verified:
        return "few of its sentences could be checked"
    if features.verified_share < thresholds.high_verified_share:
        return f"only {features.verified_share:.0%} of its claims could be verified"
    return ""


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
