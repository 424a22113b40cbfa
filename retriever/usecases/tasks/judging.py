"""Judges: one without a model, and one that asks a first judge, such as a model, with a fallback."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import DeadlineExceeded, ModelUnavailable
from retriever.ports import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from retriever.ports import Judge, JudgeRequest, TaskJournal


class OrderJudge:
    """Keeps the first candidates: it trusts the order in which a stage offers them."""

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Return as many positions as are wanted, from the first on."""
        return Verdict(tuple(range(min(request.keep, len(request.candidates)))), text="the first of the stage's order")


class FallingBackJudge:
    """
    Asks a judge that may fail, and another that cannot where it does.

    Args:
        judge: Asked first.
        fallback: Decides when the first one fails or may not be asked.
        admits: Returns at each call whether the first judge may be asked.
        journal: Records each time that the first judge did not decide.
    """

    def __init__(self, judge: Judge, fallback: Judge, admits: Callable[[], bool], journal: TaskJournal) -> None:
        self._judge = judge
        self._fallback = fallback
        self._admits = admits
        self._journal = journal

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Choose candidates; a verdict of the fallback says why it was used."""
        if not self._admits():
            return await self._fallen_back(request, "the kill switch is thrown")
        try:
            return await self._judge.choose(request)
        except (ModelUnavailable, DeadlineExceeded) as error:
            return await self._fallen_back(request, error.message)

    async def _fallen_back(self, request: JudgeRequest, why: str) -> Verdict:
        self._journal.judge_fell_back(request.stage, why)
        verdict = await self._fallback.choose(request)
        return replace(verdict, text=f"{verdict.text}; no model judged: {why}")
