"""The judge that needs no model: it trusts the order in which a stage offers its candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.ports import Verdict

if TYPE_CHECKING:
    from retriever.ports import JudgeRequest


class OrderJudge:
    """Keeps the first candidates."""

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Return as many positions as are wanted, from the first on."""
        return Verdict(tuple(range(min(request.keep, len(request.candidates)))), text="the first of the stage's order")
