"""Reports the progress of a job: counts units, measures the rate, and reports at most ten times a second."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from indexer.domain.jobs import Phase, Progress, Progressed
from indexer.domain.snapshots.snapshot import Counts

if TYPE_CHECKING:
    from common.core.clock import Clock
    from indexer.ports import WorkSink

_INTERVAL_SECONDS = 0.1
NOTHING_COUNTED = Counts()


class Phases:
    """The phases of one job. Changes of phase are always reported."""

    def __init__(self, sink: WorkSink, clock: Clock, counts: Counts = NOTHING_COUNTED) -> None:
        self._sink = sink
        self._clock = clock
        self._progress = Progress(Phase.FETCHING)
        self._began = self._told = clock.monotonic()
        self._work = self._worked = 0
        self.counts = counts
        self.seconds: dict[Phase, float] = {}

    def begin(self, phase: Phase, total: int = 0, *, work: int = 0) -> None:
        """Enter a phase with a number of units, and an amount of work if units are unequal; 0 means unknown."""
        self._close()
        self._work, self._worked = work, 0
        self._progress = Progress(phase, total=total)
        self._tell()

    def advance(self, units: int = 1, total: int = 0, *, work: int = 0) -> None:
        """
        Count units as done.

        Args:
            units: How many.
            total: How many there are, where that was not known when the phase began.
            work: How much of the phase's work they were.
        """
        self._worked += work
        share = min(1.0, self._worked / self._work) if self._work else 0.0
        now = self._clock.monotonic()
        done = self._progress.done + units
        rate = done / max(now - self._began, 1e-6)
        total = total or self._progress.total
        self._progress = dataclasses.replace(self._progress, done=done, total=total, rate=rate, share=share)
        if now - self._told >= _INTERVAL_SECONDS:
            self._tell()

    def end(self) -> None:
        """Leave the last phase."""
        self._close()
        self._tell()

    def _close(self) -> None:
        now = self._clock.monotonic()
        phase = self._progress.phase
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._began
        self._began = now

    def _tell(self) -> None:
        self._told = self._clock.monotonic()
        self._sink.tell(Progressed(self._progress, self.counts))
