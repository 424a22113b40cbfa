"""All resolved edges of the graph as columns in memory, since every search needs those around many symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from retriever.adapters.core.database import Database

_ROW = np.dtype([("source", np.int32), ("target", np.int32), ("kind", np.int8), ("confidence", np.float64)])


class LinkTable:
    """
    Resolved edges of all kinds, 25 bytes each.

    Args:
        tiers: Tiers whose edges count, in the form of `as_list`.
    """

    def __init__(self, database: Database, tiers: str) -> None:
        rows = database.table("links", _ROW, tiers=tiers)
        order = np.lexsort((-rows["confidence"], rows["target"], rows["source"]))
        self._sources, self._targets = rows["source"][order], rows["target"][order]
        self._kinds, self._confidences = rows["kind"][order], rows["confidence"][order]
        self._by_target = np.argsort(self._targets, kind="stable").astype(np.int32)
        self._targets_in_order = self._targets[self._by_target]

    def around(self, ids: Sequence[int], kinds: Sequence[int]) -> NDArray[np.float64]:
        """Return rows of (source, target, highest confidence) that start or end at these ids, each pair once."""
        wanted = np.array(ids, dtype=np.int32)
        out, back = _runs(self._sources, wanted), self._by_target[_runs(self._targets_in_order, wanted)]
        places = np.concatenate((out, back))
        places = np.unique(places[np.isin(self._kinds[places], kinds)])
        sources, targets = self._sources[places], self._targets[places]
        # The first edge of each pair has the highest confidence.
        first = np.ones(len(places), dtype=bool)
        first[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
        return np.stack((sources[first], targets[first], self._confidences[places[first]]), axis=1)


def _runs(ascending: NDArray[np.int32], values: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the positions at which an ascending column has one of the values."""
    start, end = np.searchsorted(ascending, values, "left"), np.searchsorted(ascending, values, "right")
    sizes = end - start
    return np.repeat(start - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
