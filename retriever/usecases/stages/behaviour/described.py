"""Finds the definition that the question describes, and the function that performs the asked action."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent
from common.core.words.terms import count_terms
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.process import process_of
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.usecases.evidence.drafting import source_draft
from retriever.usecases.locating.naming import is_first_hand
from retriever.usecases.searching.doers import SUREST, doers

if TYPE_CHECKING:
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.searching.describing import FindDescribed

_LEAST_TERMS = 3
"""Least informative terms of a description; fewer fit many things."""
_LIKELIEST = 3
_LOOKED_AT = 8
_ALIKE = 0.5
"""Least similarity of a description and the documentation of its definition; less is chance."""
_SAID_FIRST = 320
"""Characters of a documentation string."""


class Described:
    """
    Drafts the source of the definition that a description fits best, and what the next ones say of themselves.

    Those that say of themselves what the description says go before those that are likelier by all other signs. Where
    a question is how something is done, functions are meant that are called like that. Lists of users answer the same
    words in a surer way, so it asks for nothing where there are any.

    Args:
        floor: Certainty below which nothing is taken for it.
    """

    name = "described"
    needs = frozenset({Part.CODE_INDEX})

    def __init__(self, described: FindDescribed, floor: float) -> None:
        self._described = described
        self._floor = floor

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for the described definition, or for the function that performs the asked action."""
        part = next(task.understanding.of(Intent.FIND, Intent.METHOD), None)
        if part is None or context.tells_users:
            return context
        told = part.told(task.question)
        is_description = part.intent is Intent.FIND and len(count_terms(told)) >= _LEAST_TERMS
        found = await self._meant(snapshot, told, task) if is_description else []
        process = process_of(part) if not found else None
        if process:
            doing = await asyncio.to_thread(doers, snapshot, context.ranking, process)
            found = [(each, score / SUREST) for each, score in doing[:1]]
        if not found:
            return context
        reason = "does what the question says"
        (best, score), *others = found
        draft = replace(source_draft(snapshot, best, EvidenceRole.MATCH, reason, score=score), described=told)
        likely = (Candidate(each, EvidenceRole.MATCH, self.name, reason, score) for each, score in others)
        return context.with_drafts([draft]).with_candidates(self.name, likely).with_step(self.name)

    async def _meant(self, snapshot: Snapshot, told: str, task: Task) -> list[tuple[Symbol, float]]:
        meant = await self._described.run(snapshot, told, limit=_LOOKED_AT, use_vectors=Part.VECTORS not in task.off)
        if meant.certainty < self._floor:
            return []
        first_hand = [each for each in meant.symbols if is_first_hand(each)]
        likeliest = sorted(first_hand, key=lambda each: -_likeness(told, each))[:_LIKELIEST]
        return [(each, meant.certainty) for each in likeliest]


def _likeness(told: str, symbol: Symbol) -> float:
    """Return how like a description the first paragraph of a symbol's documentation is, F1 of terms; 0.0 for less."""
    own = count_terms(symbol.docstring.strip().split("\n\n", 1)[0][:_SAID_FIRST]).keys()
    asked = count_terms(told).keys()
    share = 2 * len(own & asked) / max(1, len(own) + len(asked))
    return share if share >= _ALIKE else 0.0
