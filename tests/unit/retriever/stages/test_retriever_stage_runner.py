"""A row of stages: what each leaves to the next, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context, Part, StageTime, Task
from retriever.usecases.stages.runner import StageRunner

if TYPE_CHECKING:
    from retriever.ports import Judge, Snapshot


class Ticking:
    """A clock by which each look takes a quarter of a second."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def monotonic(self) -> float:
        """Return a time later than the one before."""
        self._seconds += 0.25
        return self._seconds


class Metered:
    """Remembers which stages were measured."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def stage_took(self, stage: str, _seconds: float) -> None:
        """Remember a stage."""
        self.stages.append(stage)


@dataclass(frozen=True)
class Finding:
    """A stage that says that it ran, if it is asked for."""

    name: str
    is_asked: bool = True
    needs: frozenset[Part] = frozenset()

    async def run(self, context: Context, _snapshot: Snapshot, _task: Task, _judge: Judge) -> Context:
        """Leave a trace, or what it was given."""
        return replace(context, ran=(*context.ran, self.name)) if self.is_asked else context


class Nothing:
    """A snapshot of which nothing is read."""

    notes = ("vectors: layer cannot be used",)


async def test_a_stage_has_a_time_if_it_had_something_to_do() -> None:
    """One that the question does not ask for is measured, but not told of, and one that is turned off is skipped."""
    meter = Metered()
    runner = StageRunner(cast("Judge", None), Ticking(), meter)  # type: ignore[arg-type]  # of a clock that is all
    stages = (
        Finding("first"),
        Finding("second", is_asked=False),
        Finding("third", needs=frozenset({Part.VECTORS})),
        Finding("last"),
    )
    task = Task("Where is it?", Mode.CONCEPTUAL, off=frozenset({Part.VECTORS}))

    context, times = await runner.run(stages, cast("Snapshot", Nothing()), task)

    assert context.ran == ("first", "last")
    assert context.skipped == ("vectors: layer cannot be used", f"third: {Part.VECTORS.value} turned off")
    assert times == (StageTime("first", 250.0), StageTime("last", 250.0))
    assert meter.stages == ["first", "second", "last"]
