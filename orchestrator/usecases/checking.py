"""Checks the claims of an answer or of any text against the index, and keeps each claim's place in the text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import CheckedClaim, ClaimKind, ClaimVerdict
from orchestrator.domain.grammar.extraction import extract_claims

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from orchestrator.domain.answers.claims import ClaimSite
    from orchestrator.domain.answers.orders import Pin
    from orchestrator.domain.model_text.grounds import Grounds
    from orchestrator.ports import CodeIndex, Retriever


@dataclass(frozen=True, slots=True)
class CheckedSite:
    """A claim with its verdict, and the sentence that makes it."""

    site: ClaimSite
    checked: CheckedClaim


async def check_sites(
    index: CodeIndex, pin: Pin, sites: Sequence[ClaimSite], grounds: Grounds | None = None
) -> tuple[CheckedSite, ...]:
    """
    Return the verdict of each claim. An ambiguous claim, or one that has grounds, is never reported as refuted.

    Raises what the index raises.
    """
    if not sites:
        return ()
    checked = await index.check(pin, [site.claim for site in sites])
    named = {
        (each.claim.subject, each.claim.object)
        for each in checked
        if each.claim.kind is ClaimKind.REFERS and each.verdict is ClaimVerdict.VERIFIED
    }
    return tuple(
        CheckedSite(site, _told(site, each, named, grounds)) for site, each in zip(sites, checked, strict=True)
    )


def _told(site: ClaimSite, checked: CheckedClaim, named: Set[tuple[str, str]], grounds: Grounds | None) -> CheckedClaim:
    """Make a refuted claim uncheckable if it is ambiguous ("A.b exists" may mean "A refers to b") or has grounds."""
    owner, _, member = site.claim.subject.rpartition(".")
    is_sure = site.is_sure and not (site.claim.kind is ClaimKind.EXISTS and (owner, member) in named)
    if checked.verdict is not ClaimVerdict.CONTRADICTED or (is_sure and not (grounds and grounds.has(site))):
        return checked
    return replace(checked, verdict=ClaimVerdict.UNCHECKABLE, detail=f"if that is what is meant, {checked.detail}")


@dataclass(frozen=True, slots=True)
class CheckedText:
    """The claims of a text with their verdicts, and the snapshot that they were checked against."""

    snapshot_id: str
    sites: tuple[CheckedSite, ...]


class CheckText:
    """Checks the claims of a text that need not be an answer of this service."""

    def __init__(self, retriever: Retriever, index: CodeIndex) -> None:
        self._retriever = retriever
        self._index = index

    async def run(self, pin: Pin, text: str) -> CheckedText:
        """Return the claims with verdicts, the most specific first. Raises the errors of the retriever."""
        pinned = await self._retriever.pin(pin)
        return CheckedText(pinned.snapshot_id, await check_sites(self._index, pinned, extract_claims(text)))
