"""Statements of an answer that index and source can confirm or refute, and what came out."""

from __future__ import annotations

from dataclasses import dataclass

from common.core.contract.evidence import Claim  # noqa: TC001 (read at run time)


@dataclass(frozen=True, slots=True)
class ClaimSite:
    """
    A claim where the text makes it.

    Args:
        end: Offset in the text behind the sentence.
        is_sure: The words can mean nothing else; otherwise the claim may be verified, and is never refuted.
    """

    claim: Claim
    start: int
    end: int
    is_sure: bool = True
