"""Runs a row of stages: in order, without those whose parts are turned off, and with the time that each took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.tasks.context import Context, StageTime, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.clock import Clock
    from retriever.ports import Judge, Meter, Snapshot
    from retriever.usecases.stages.protocol import Stage


class StageRunner:
    """Runs stages one after the other."""

    def __init__(self, judge: Judge, clock: Clock, meter: Meter) -> None:
        self._judge = judge
        self._clock = clock
        self._meter = meter

    async def run(
        self, stages: Sequence[Stage], snapshot: Snapshot, task: Task
    ) -> tuple[Context, tuple[StageTime, ...]]:
        """Return the context after all stages, and the time of each stage in order; stages without effect have none."""
        context = Context(scope=task.scope, skipped=snapshot.notes)
        times: list[StageTime] = []
        for stage in stages:
            missing = sorted(part.value for part in stage.needs & task.off)
            if missing:
                note = f"{stage.name}: {', '.join(missing)} turned off"
                context = context.without_step(note)
                continue
            before, start = context, self._clock.monotonic()
            context = await stage.run(context, snapshot, task, self._judge)
            seconds = self._clock.monotonic() - start
            self._meter.stage_took(stage.name, seconds)
            if context is not before:
                times.append(StageTime(stage.name, seconds * 1000))
        return context, tuple(times)
