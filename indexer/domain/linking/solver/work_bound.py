"""How much work a link may be: in proportion to its programs, and counted, so that it never depends on a clock."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.domain.linking.solver.solver import Solver
    from indexer.domain.model import Tier

# Of a link, for each slot and instruction of its programs; real ones take 2 to 9 (docs/linking.md).
STEPS = 40
MIN_STEPS = 200_000


class WorkBound:
    """
    The steps of one link.

    A tier may take half of what those before it left. At the end of its share, what it has not got to is dropped, and
    the next tier goes on with what is known.
    """

    def __init__(self, solver: Solver, size: int) -> None:
        self._solver = solver
        self._most = max(MIN_STEPS, STEPS * size)
        self.met: list[Tier] = []

    @contextmanager
    def tier(self, tier: Tier) -> Iterator[None]:
        """Solve a tier within its share; note it in `met` if that was not enough, or failed."""
        solver = self._solver
        solver.limit = solver.steps + max(0, self._most - solver.steps) // 2
        failed = solver.failures.count
        yield
        if solver.is_spent or solver.failures.count > failed:
            self.met.append(tier)
