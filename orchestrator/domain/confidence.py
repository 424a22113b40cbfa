"""How far the evidence carries an answer: derived after the loop, from what it cites and what stayed open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.answer import Confidence
from orchestrator.domain.claims import ClaimKind, ClaimVerdict
from orchestrator.domain.evidence import GapOutcome
from orchestrator.domain.messages import unseen_messages
from orchestrator.domain.question_terms import question_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.claims import CheckedClaim
    from orchestrator.domain.evidence import Citation, Evidence, GapResult
    from orchestrator.domain.question import Anchors


@dataclass(frozen=True, slots=True)
class ConfidenceThresholds:
    """
    Bounds between the three levels.

    Args:
        high_citations: Places that a high confidence needs.
        high_claims: Verified claims that it needs where the question names nothing that the cited text has.
        high_coverage: Share of the question's terms found in what is cited, for high.
        medium_coverage: The same, for medium.
        max_unresolved_share: Gaps that may stay open, as a share, for medium.
    """

    high_citations: int = 2
    high_claims: int = 3
    high_coverage: float = 0.6
    medium_coverage: float = 0.3
    max_unresolved_share: float = 0.67


@dataclass(frozen=True, slots=True)
class Grounds:
    """
    What a confidence is derived from.

    Args:
        citations: Places cited.
        coverage: Share of the question's terms that the cited text has.
        is_anchored: The question names something (symbol, exception, message) and the cited text has all of it.
        unresolved: Gaps that stayed open.
        gaps: All gaps.
        verified: Claims that the index shows.
        contradicted: Claims that it refutes.
        unseen_messages: Quoted error messages that no cited place holds.
    """

    citations: int
    coverage: float
    is_anchored: bool
    unresolved: int
    gaps: int
    verified: int
    contradicted: int
    unseen_messages: int = 0


def grounds(
    question: str,
    anchors: Anchors,
    cited: Sequence[Evidence],
    citations: Sequence[Citation],
    results: Sequence[GapResult],
    claims: Sequence[CheckedClaim],
) -> Grounds:
    """Gather what speaks for and against an answer. What was asked for and was never searched counts as open."""
    wanted = question_terms(question)
    text = " ".join(f"{each.title} {each.text}" for each in cited)
    shown = set(count_terms(text))
    verdicts = [each.verdict for each in claims]
    unseen = unseen_messages(anchors, cited)
    return Grounds(
        citations=len(citations),
        coverage=len(wanted & shown) / len(wanted) if wanted else 0.0,
        is_anchored=not unseen and _is_anchored(anchors, text),
        unresolved=sum(each.outcome is not GapOutcome.RESOLVED for each in results),
        gaps=len(results),
        verified=verdicts.count(ClaimVerdict.VERIFIED),
        contradicted=verdicts.count(ClaimVerdict.CONTRADICTED),
        unseen_messages=len(unseen),
    )


def _is_anchored(anchors: Anchors, text: str) -> bool:
    names = [name.removesuffix("()").rpartition(".")[2] for name in (*anchors.symbols, *anchors.exceptions)]
    return bool(names or anchors.error_messages) and all(name in text for name in names)


def judge_confidence(facts: Grounds, thresholds: ConfidenceThresholds) -> tuple[Confidence, str]:
    """Return the level and the one sentence that says why."""
    against = _against(facts, thresholds)
    if against:
        return Confidence.LOW, f"{against}."
    places = f"{facts.citations} cited {'place' if facts.citations == 1 else 'places'}"
    support = f"{places} cover {facts.coverage:.0%} of the question's terms"
    if facts.verified:
        support += f", {facts.verified} {_plural(facts.verified, 'claim')} verified against the index"
    missing = _missing_for_high(facts, thresholds)
    if missing:
        return Confidence.MEDIUM, f"{support}, but {missing}."
    return Confidence.HIGH, f"{support}, and nothing stayed open."


def invented_names(claims: Sequence[CheckedClaim]) -> tuple[str, ...]:
    """Return the identifiers of the answer that do not exist in the index."""
    missing = (
        each.claim.subject
        for each in claims
        if each.claim.kind is ClaimKind.EXISTS and each.verdict is ClaimVerdict.CONTRADICTED
    )
    return tuple(dict.fromkeys(missing))


def _against(facts: Grounds, thresholds: ConfidenceThresholds) -> str:
    if not facts.citations:
        return "no place in the source supports the answer"
    if facts.contradicted and facts.contradicted >= facts.verified:
        return f"{facts.contradicted} {_plural(facts.contradicted, 'claim')} contradicted by the index"
    if facts.gaps > 1 and facts.unresolved / facts.gaps > thresholds.max_unresolved_share:
        return f"{facts.unresolved} of {facts.gaps} things that were missing stayed open"
    if facts.coverage < thresholds.medium_coverage:
        return f"what is cited covers only {facts.coverage:.0%} of the question's terms"
    return ""


def _missing_for_high(facts: Grounds, thresholds: ConfidenceThresholds) -> str:
    if facts.contradicted:
        return f"{facts.contradicted} {_plural(facts.contradicted, 'claim')} contradicted by the index"
    if facts.unresolved:
        return f"{facts.unresolved} of {facts.gaps} missing {_plural(facts.gaps, 'thing')} stayed open"
    if facts.unseen_messages:
        return "no cited place holds the message that the question quotes"
    if facts.citations < thresholds.high_citations:
        return "it rests on a single place"
    if not facts.is_anchored and facts.verified < thresholds.high_claims:
        return "the question names nothing that could be matched exactly"
    if facts.coverage < thresholds.high_coverage:
        return "part of the question's terms occur nowhere in it"
    return ""


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"
