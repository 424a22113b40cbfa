"""Shows the source of the most important candidates."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.breadth import breadth_first
from retriever.domain.context import Candidate, Context, Part, Task
from retriever.domain.evidence import Decision, Draft, EvidenceRole
from retriever.domain.packing import PRIORITY
from retriever.ports import JudgeRequest
from retriever.usecases.drafting import source_draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.ports import Judge, Snapshot, Verdict

_MOST_OF_A_ROLE: Mapping[EvidenceRole, int] = {
    EvidenceRole.ERROR_SITE: 4,
    EvidenceRole.MUTATOR: 2,
    EvidenceRole.CALLER: 2,
    EvidenceRole.ENTRY: 3,
    EvidenceRole.TERMINAL: 2,
    EvidenceRole.BRANCH: 2,
    EvidenceRole.STEP: 1,
    EvidenceRole.SAMPLE: 3,
}
"""So that no role crowds out the next one before the judge has seen both."""
_FILES = 4
"""Files whose best match is shown before a second one of any file."""


class Sources:
    """Drafts the source of the best candidates; where stages before found few, of the best ranked symbols."""

    name = "sources"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, judge: Judge) -> Context:
        """Order by the mode's priority, let the judge choose, read the source."""
        offered = self._offer(context, task)
        request = JudgeRequest(self.name, task.question, offered, task.limits.sources)
        verdict = await judge.choose(request)
        kept = [offered[position] for position in request.kept(verdict)]
        drafts = await asyncio.to_thread(_drafts, snapshot, kept)
        context = context.with_drafts(drafts).with_decisions(_decisions(self.name, offered, kept, verdict))
        return context.with_step("source")

    def _offer(self, context: Context, task: Task) -> tuple[Candidate, ...]:
        rank = {role: position for position, role in enumerate(PRIORITY[task.mode])}
        ordered = sorted(context.candidates, key=lambda each: rank.get(each.role, len(rank)))
        seen: Counter[EvidenceRole] = Counter()
        first: list[Candidate] = []
        rest: list[Candidate] = []
        for each in ordered:
            seen[each.role] += 1
            (first if seen[each.role] <= _MOST_OF_A_ROLE.get(each.role, len(ordered)) else rest).append(each)
        known = {each.symbol.definition for each in ordered}
        matches = [
            Candidate(each.symbol, EvidenceRole.MATCH, "ranked", "matches the question", each.score)
            for each in breadth_first(context.ranking, _FILES)[: 2 * task.limits.sources]
            if each.symbol.definition not in known
        ]
        return tuple([*first, *matches, *rest][: 3 * task.limits.sources])


def _drafts(snapshot: Snapshot, kept: Sequence[Candidate]) -> list[Draft]:
    return [
        replace(
            source_draft(snapshot, each.symbol, each.role, each.reason, score=each.score, focus=each.focus),
            basis=each.basis,
        )
        for each in kept
    ]


def _decisions(stage: str, offered: Sequence[Candidate], kept: Sequence[Candidate], verdict: Verdict) -> list[Decision]:
    chosen = {each.symbol.id for each in kept}
    return [
        Decision(
            stage=stage,
            step=each.role.value,
            subject=each.symbol.span,
            qualified_name=each.symbol.qualified_name,
            included=each.symbol.id in chosen,
            reason=each.reason if each.symbol.id in chosen else "the judge kept others",
            score=each.score,
            judge_output=verdict.text,
            judge_latency_ms=verdict.latency_ms,
            judge_tokens=verdict.tokens,
        )
        for each in offered
    ]
