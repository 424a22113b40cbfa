"""Draws which modules depend on which."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.views.structure import CIRCULAR, mermaid
from retriever.usecases.stages.structure.modules import dependencies_around, is_of_one_thing

if TYPE_CHECKING:
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.evidence.scope_cache import ScopeCache
    from retriever.usecases.stages.structure.modules import Dependencies

_ARROWS = 16


class Diagram:
    """Draws the dependencies between the modules of the scope."""

    name = "diagram"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    def __init__(self, modules: ScopeCache[Dependencies]) -> None:
        self._modules = modules

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft one mermaid flowchart."""
        if is_of_one_thing(context, task):
            return context
        around = await asyncio.to_thread(self._modules.get, snapshot, context.scope, dependencies_around)
        if not around.modules:
            return context.without_step("diagram: no dependencies between modules")
        drawn = mermaid(around.modules, _ARROWS)
        draft = Draft(
            kind=EvidenceKind.DIAGRAM,
            source=ContextSource.ISSUES,
            role=EvidenceRole.DIAGRAM,
            title=f"Module dependencies of {context.scope or 'the repository'}",
            text=drawn + "\n",
            reason="dependencies between modules, most uses first"
            + ("; dotted ones lie on a circle" if CIRCULAR in drawn else ""),
        )
        return context.with_drafts([draft]).with_step("diagram")
