"""Processor time of a caller's answers, by which fair scheduling orders callers."""

from __future__ import annotations

import math
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count

from common.rpc.callers import current_caller

# A plain question about a small repository takes half of it.
_SMALL_SECONDS = 0.02
_STEP = 8
_SECONDS_PER_CHARACTER = 5e-6
_numbers = count()


@dataclass(slots=True, eq=False, weakref_slot=True)
class Effort:
    """
    Work that takes turns with other work: an answer, or a call that is none.

    Args:
        whose: Whose part of what is shared it uses.
        number: Its place in the order in which work began.
        taken_seconds: Processor time of its turns that are over, whatever ran beside it.
        expected_seconds: What it is taken for before.
    """

    whose: str = ""
    number: int = field(default_factory=_numbers.__next__)
    taken_seconds: float = 0.0
    expected_seconds: float = 0.0

    def expect(self, characters: int) -> None:
        """Estimate the effort by the length of the question in characters."""
        self.expected_seconds = characters * _SECONDS_PER_CHARACTER

    @property
    def size(self) -> int:
        """Return 0 below 20 ms, 1 below 160 ms, and one more for each eightfold of it."""
        seconds = max(self.taken_seconds, self.expected_seconds)
        return 0 if seconds < _SMALL_SECONDS else 1 + int(math.log(seconds / _SMALL_SECONDS, _STEP))


_effort: ContextVar[Effort | None] = ContextVar("cgrag_effort", default=None)


def current_effort() -> Effort:
    """Return that of the answer or call that is being worked on; the first time, it begins with nothing taken."""
    effort = _effort.get()
    if effort is None:
        effort = Effort(current_caller().share)
        # For the rest of this task, and for the answer that it begins.
        _effort.set(effort)
    return effort
