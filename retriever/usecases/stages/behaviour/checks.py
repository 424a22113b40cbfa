"""Shows the code that checks a named setting: what logs or raises a message which has its name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms, words
from retriever.domain.declared.given_values import folded
from retriever.domain.evidence.basis import Basis, BasisKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.understanding import Intent, MentionKind
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.usecases.locating.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Fact
    from retriever.ports import Judge, Snapshot

_SETTINGS = frozenset({MentionKind.SETTING, MentionKind.SYMBOL})
_LOOKED_AT = 200
_SHOWN = 3


class Checks:
    """Adds the code with messages about a setting of the question, the most similar message first."""

    name = "checks"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the messages up; nothing where the question quotes one itself, or names no setting."""
        parts = list(task.understanding.of(Intent.CONSEQUENCE)) if not task.messages else []
        named = (each for each in task.understanding.mentions if each.kind in _SETTINGS)
        names = [each.text for each in named if any(part.start <= each.start < part.end for part in parts)]
        found = await asyncio.to_thread(_find, snapshot, names, task.question) if names else []
        return context.with_candidates(self.name, found).with_step(self.name) if found else context


def _find(snapshot: Snapshot, names: Sequence[str], question: str) -> list[Candidate]:
    asked, wanted = count_terms(question).keys(), {folded(each.rpartition(".")[2]) for each in names}
    facts: dict[Fact, int] = {}
    for name in names:
        for fact, _ in snapshot.facts.messages([name.rpartition(".")[2].lower()], _LOOKED_AT):
            if not wanted.isdisjoint(map(folded, words(fact.value))):
                facts[fact] = len(asked & count_terms(fact.value).keys())
    symbols = symbols_by_id(snapshot, (fact.symbol_id for fact in facts))
    best = sorted(facts, key=lambda each: (-facts[each], symbols[each.symbol_id].path, each.line))
    return [
        Candidate(
            symbols[fact.symbol_id],
            EvidenceRole.ERROR_SITE,
            "message",
            f"checks it, with the message {fact.value!r}",
            1.0,
            (fact.line,),
            Basis(BasisKind.MESSAGE, text=fact.value, line=fact.line),
        )
        for fact in best
        if not symbols[fact.symbol_id].is_test
    ][:_SHOWN]
