"""Finds the function that performs the action of the question."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.process import process_of
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.evidence.drafting import source_draft
from retriever.usecases.searching.doers import SUREST, doers

if TYPE_CHECKING:
    from retriever.ports import Judge, Snapshot


class Described:
    """Drafts the source of the best function whose name says the action; nothing if users are listed."""

    name = "described"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for the function that performs the asked action."""
        part = next(task.understanding.of(Intent.FIND, Intent.METHOD), None)
        process = process_of(part) if part and not context.tells_users else None
        if part is None or process is None:
            return context
        for symbol, score in (await asyncio.to_thread(doers, snapshot, context.ranking, process))[:1]:
            reason = "does what the question says"
            draft = source_draft(snapshot, symbol, EvidenceRole.MATCH, reason, score=score / SUREST)
            context = context.with_drafts([replace(draft, described=part.told(task.question))]).with_step(self.name)
        return context
