"""Checks the claims of a text against the index, each where the text makes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orchestrator.domain.answers.claims import CheckedClaim, ClaimVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.answers.claims import ClaimSite
    from orchestrator.domain.answers.orders import Pin
    from orchestrator.ports import CodeIndex


@dataclass(frozen=True, slots=True)
class CheckedSite:
    """A claim with its verdict, and the sentence that makes it."""

    site: ClaimSite
    checked: CheckedClaim


async def check_sites(index: CodeIndex, pin: Pin, sites: Sequence[ClaimSite]) -> tuple[CheckedSite, ...]:
    """
    Return the verdict of each claim; one whose words may mean something else is never refuted.

    Raises what the index raises.
    """
    if not sites:
        return ()
    checked = await index.check(pin, [site.claim for site in sites])
    return tuple(CheckedSite(site, _told(site, each)) for site, each in zip(sites, checked, strict=True))


def _told(site: ClaimSite, checked: CheckedClaim) -> CheckedClaim:
    if site.is_sure or checked.verdict is not ClaimVerdict.CONTRADICTED:
        return checked
    return replace(checked, verdict=ClaimVerdict.UNCHECKABLE, detail=f"if that is what is meant, {checked.detail}")
