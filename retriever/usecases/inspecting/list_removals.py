"""Tells which repositories were removed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.visibility import EVERYTHING

if TYPE_CHECKING:
    from common.core.removals import Removal
    from common.core.visibility import Visibility
    from retriever.ports import Removals


class ListRemovals:
    """Tells which repositories were removed, of those that may be seen."""

    def __init__(self, removals: Removals, visibility: Visibility = EVERYTHING) -> None:
        self._removals = removals
        self._visibility = visibility

    async def run(self, after: str, size: int) -> tuple[tuple[Removal, ...], bool]:
        """Return one page of the removals of names behind `after`, and whether more follow."""
        told = await asyncio.to_thread(self._removals.all)
        found = tuple(each for each in told if each.repository > after and self._visibility.sees(each.repository))
        return found[:size], len(found) > size
