"""Limit of the work of a link: proportional to the size of its programs, in counted steps, independent of time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.domain.linking.solver.solver import Solver
    from indexer.domain.model import Tier

# Steps for each slot and instruction of a link's programs; real links take 2 to 9 (docs/linking.md).
STEPS = 40
MIN_STEPS = 200_000


class WorkBound:
    """
    The limit of steps of one link.

    Each tier may take half of the steps that are left. When they are used up, its remaining work is dropped, and the
    next tier continues with the values found so far.
    """

    def __init__(self, solver: Solver, size: int) -> None:
        self._solver = solver
        self._most = max(MIN_STEPS, STEPS * size)
        self.met: list[Tier] = []

    @contextmanager
    def tier(self, tier: Tier) -> Iterator[None]:
        """Limit the steps of the `with` block; record the tier in `met` if it reached the limit or a step failed."""
        solver = self._solver
        solver.limit = solver.steps + max(0, self._most - solver.steps) // 2
        failed = solver.failures.count
        yield
        if solver.is_spent or solver.failures.count > failed:
            self.met.append(tier)
