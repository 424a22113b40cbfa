"""Conceptual: shows what the question describes by what it does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from retriever.domain.asked.description import asked_description
from retriever.domain.context import Context, Part, Task
from retriever.domain.evidence import ContextSource, EvidenceRole
from retriever.usecases.drafting import card_draft, source_draft

if TYPE_CHECKING:
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.describing import FindDescribed

_LIKELIEST = 3
_LOOKED_AT = 8
_ALIKE = 0.5
"""How like a description the words are by which its definition says what it does; less is chance."""
_SAID_FIRST = 320
"""Characters of a documentation string."""


class Described:
    """
    Drafts the source of the definition that a description fits best, and what the next ones say of themselves.

    Those that say of themselves what the description says go before those that are likelier by all other signs.
    Lists of users answer the same words in a surer way, so it asks for nothing where there are any.

    Args:
        floor: Certainty below which nothing is taken for it.
    """

    name = "described"
    needs = frozenset({Part.CODE_INDEX})

    def __init__(self, described: FindDescribed, floor: float) -> None:
        self._described = described
        self._floor = floor

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for what is described."""
        told = asked_description(task.question)
        if not told or context.tells_users:
            return context
        meant = await self._described.run(snapshot, told, limit=_LOOKED_AT, use_vectors=Part.VECTORS not in task.off)
        if not meant.symbols or meant.certainty < self._floor:
            return context
        best, *others = sorted(meant.symbols, key=lambda each: -_likeness(told, each))[:_LIKELIEST]
        reason, score = "does what the question says", meant.certainty
        drafts = [source_draft(snapshot, best, EvidenceRole.MATCH, reason, score=score, source=ContextSource.DOCS)]
        drafts += [card_draft(snapshot, each, reason, score=score) for each in others]
        drafts = [replace(each, described=told) for each in drafts]
        return context.with_drafts(drafts).with_step(self.name)


def _likeness(told: str, symbol: Symbol) -> float:
    """Return how like a description the first paragraph of a symbol's documentation is, F1 of terms; 0.0 for less."""
    own = count_terms(symbol.docstring.strip().split("\n\n", 1)[0][:_SAID_FIRST]).keys()
    asked = count_terms(told).keys()
    share = 2 * len(own & asked) / max(1, len(own) + len(asked))
    return share if share >= _ALIKE else 0.0
