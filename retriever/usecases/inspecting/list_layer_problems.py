"""Lists the layers that could not be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.visibility import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from common.core.visibility import Visibility
    from retriever.domain.values import LayerProblem


class ListLayerProblems:
    """
    Lists layers that this process could not open, of the repositories that may be seen.

    Args:
        problems: Returns those that cannot be used now, in order of repository and layer.
    """

    def __init__(self, problems: Callable[[], tuple[LayerProblem, ...]], visibility: Visibility = EVERYTHING) -> None:
        self._problems = problems
        self._visibility = visibility

    async def run(self, first: int, size: int) -> tuple[tuple[LayerProblem, ...], bool]:
        """Return one page from a position on, and whether more follow."""
        found = tuple(each for each in self._problems() if self._visibility.sees(each.repository))
        return found[first : first + size], first + size < len(found)
