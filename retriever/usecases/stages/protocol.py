"""The protocol of the stages of a retrieval strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from retriever.domain.tasks.context import Context, Part, Task
    from retriever.ports import Judge, Snapshot


class Stage(Protocol):
    """One step of a strategy: takes what was found so far, and adds to it."""

    @property
    def name(self) -> str:
        """Name in timings and in the decision log."""
        ...

    @property
    def needs(self) -> frozenset[Part]:
        """Parts without which the stage is left out."""
        ...

    async def run(self, context: Context, snapshot: Snapshot, task: Task, judge: Judge, /) -> Context:
        """Return the context with what this stage found."""
        ...
