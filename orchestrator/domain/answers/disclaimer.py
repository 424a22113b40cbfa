"""The limitations of an answer that its reader must know, as sentences."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimKind, ClaimVerdict, GapOutcome
from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.evidence.gaps import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from common.core.contract.evidence import CheckedClaim
    from orchestrator.domain.evidence.piece import GapResult

_MOST_NAMES = 5
_DEGRADED: Mapping[str, str] = MappingProxyType(
    {
        "model": "The model did not answer; the text was written from evidence only.",
        "later pass": "The model failed in a later pass; the text is that of the pass before.",
        "vectors": "Search by meaning was not available.",
        "findings": "Findings of analyzers were not available.",
        "sessions": "Earlier questions of the session were not available.",
        "classifier": "The kind of question was chosen by a simple rule.",
        "gaps": "What was missing could not be fetched.",
        "judge": "The judge did not answer; rules decided whether the evidence suffices.",
    }
)
_STOPPED: Mapping[StopReason, str] = MappingProxyType(
    {
        StopReason.BUDGET_SPENT: "The token budget was used up before everything was looked at.",
        StopReason.TIME_SPENT: "The time was used up before everything was looked at.",
    }
)


def disclaimer(
    degraded: Sequence[str],
    results: Sequence[GapResult],
    claims: Sequence[CheckedClaim],
    stop_reason: StopReason,
    cuts: Sequence[str] = (),
) -> str:
    """
    Return sentences about degraded parts, open and unfindable gaps, and refuted claims; "" if there are none.

    `cuts` are sentences about what was left out of text or question.
    """
    parts = [*(_DEGRADED.get(name, f"{name} was not available.") for name in degraded), *cuts]
    parts.append(_STOPPED.get(stop_reason, ""))
    absent, still_open = dict[str, None](), dict[str, None]()
    for each in results:
        if each.outcome is not GapOutcome.RESOLVED and (each.gap.symbol or each.gap.path or each.gap.text):
            (absent if each.outcome is GapOutcome.ABSENT else still_open)[f"`{name_of(each.gap)}`"] = None
    if still_open:
        parts.append(f"Stayed open: {_list(tuple(still_open))}.")
    if absent:
        parts.append(f"Looked for and not found: {_list(tuple(absent))}.")
    invented = _invented_names(claims)
    if invented:
        names = tuple(f"`{name}`" for name in invented)
        parts.append(
            f"Not found in the index although the text names {'it' if len(names) == 1 else 'them'}: {_list(names)}."
        )
    refuted = [
        each.detail
        for each in claims
        if each.verdict is ClaimVerdict.CONTRADICTED and each.claim.kind is not ClaimKind.EXISTS and each.detail
    ]
    if refuted:
        parts.append(f"Contradicted by the index: {' '.join(dict.fromkeys(refuted))}")
    return " ".join(part for part in parts if part)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _invented_names(claims: Sequence[CheckedClaim]) -> tuple[str, ...]:
    """Return the identifiers of the answer that do not exist in the index."""
    missing = (
        each.claim.subject
        for each in claims
        if each.claim.kind is ClaimKind.EXISTS and each.verdict is ClaimVerdict.CONTRADICTED
    )
    return tuple(dict.fromkeys(missing))
