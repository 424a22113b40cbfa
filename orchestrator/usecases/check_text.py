"""Says what of a text about code index and source confirm or refute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.extraction import extract_claims
from orchestrator.usecases.checking import check_sites

if TYPE_CHECKING:
    from orchestrator.domain.answers.orders import Pin
    from orchestrator.ports import CodeIndex, Retriever
    from orchestrator.usecases.checking import CheckedSite


@dataclass(frozen=True, slots=True)
class CheckedText:
    """The snapshot that was read and the claims of a text."""

    snapshot_id: str
    sites: tuple[CheckedSite, ...]


class CheckText:
    """Checks a text that anybody wrote."""

    def __init__(self, retriever: Retriever, index: CodeIndex) -> None:
        self._retriever = retriever
        self._index = index

    async def run(self, pin: Pin, text: str) -> CheckedText:
        """Return the claims, those that say most first. Raises what the retriever raises."""
        pinned = await self._retriever.pin(pin)
        return CheckedText(pinned.snapshot_id, await check_sites(self._index, pinned, extract_claims(text)))
