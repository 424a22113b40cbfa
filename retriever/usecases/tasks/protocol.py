"""The protocol of the stages of a task: like a stage of a question, but over the state gathered for a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from retriever.domain.tasks.task import Gathered, TaskContext
    from retriever.ports import Judge, Snapshot


class ContextStage(Protocol):
    """One step: takes what was gathered so far, filters by its own rules, lets the judge decide, logs each decision."""

    @property
    def name(self) -> str:
        """Name in requests, timings and in the decision log."""
        ...

    async def run(self, gathered: Gathered, snapshot: Snapshot, task: TaskContext, judge: Judge, /) -> Gathered:
        """Return what is gathered with what this stage made of it."""
        ...
