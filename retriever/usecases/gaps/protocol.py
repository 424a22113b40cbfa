"""The protocol of the steps that resolve a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from retriever.domain.questions.question import Mode
    from retriever.domain.tasks.context import Part
    from retriever.domain.tasks.gaps import Match, Wanted
    from retriever.ports import Snapshot


@dataclass(frozen=True, slots=True)
class GapTask:
    """Context of a step of gap resolution: the question, its mode, and switched-off parts."""

    question: str
    mode: Mode
    off: frozenset[Part] = frozenset()


class GapStep(Protocol):
    """One strategy of resolving a gap."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask, /) -> Match | None:
        """Return how the search ended, or None to let the next step look."""
        ...
