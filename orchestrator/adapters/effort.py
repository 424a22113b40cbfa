"""Processor time of a caller's answers, by which fair scheduling orders callers."""

from __future__ import annotations

import math
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count

from common.rpc.callers import current_caller

# Twice the processor time of a plain question about a small repository.
_SMALL_SECONDS = 0.02
_STEP = 8
_SECONDS_PER_CHARACTER = 5e-6
_numbers = count()


@dataclass(slots=True, eq=False, weakref_slot=True)
class Effort:
    """
    Work that is scheduled in turns with other work: an answer, or a call that makes none.

    Args:
        whose: Caller that it counts for (`Caller.share`).
        number: Place in the order in which work began.
        taken_seconds: Processor time of its finished turns, without that of other threads.
        expected_seconds: Estimated processor time; counts until more was taken.
    """

    whose: str = ""
    number: int = field(default_factory=_numbers.__next__)
    taken_seconds: float = 0.0
    expected_seconds: float = 0.0

    def expect(self, characters: int) -> None:
        """Set the expected processor time from the length of the question in characters."""
        self.expected_seconds = characters * _SECONDS_PER_CHARACTER

    @property
    def size(self) -> int:
        """Return the size class: 0 below 20 ms, 1 below 160 ms, and one more for each further factor of 8."""
        seconds = max(self.taken_seconds, self.expected_seconds)
        return 0 if seconds < _SMALL_SECONDS else 1 + int(math.log(seconds / _SMALL_SECONDS, _STEP))


_effort: ContextVar[Effort | None] = ContextVar("cgrag_effort", default=None)


def current_effort() -> Effort:
    """Return the effort of the current answer or call; the first request in a task creates it."""
    effort = _effort.get()
    if effort is None:
        effort = Effort(current_caller().share)
        # Valid for the rest of this task, and inherited by the task of an answer that it starts.
        _effort.set(effort)
    return effort
