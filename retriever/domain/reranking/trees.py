"""Boosted trees, as scripts/train_ranker.py grows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.ranking.corpus import Floats, Ints


_AT_ONCE = 128
"""Rows that are scored at once, few enough for the processor's cache."""


@dataclass(frozen=True, slots=True)
class Tree:
    """
    One tree; its first node is the root.

    Args:
        inputs: For each node, the position of the input that it compares.
        limits: For each node, the limit: an input of at most this leads to `below`, a higher one to `above`.
        below, above: Next node; a negative number `-1 - n` means leaf `n`.
        leaves: Value of each leaf; a tree without nodes is its first leaf.
    """

    inputs: list[int]
    limits: list[float]
    below: list[int]
    above: list[int]
    leaves: list[float]


@dataclass(frozen=True, slots=True)
class Trees:
    """
    Many trees in one table each: (trees, nodes and leaves). A leaf leads to itself, whatever its input.

    Args:
        depth: Number of comparisons after which every row has reached its leaf.
    """

    inputs: Ints
    limits: Floats
    below: Ints
    above: Ints
    worth: Floats
    depth: int

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Trees:
        """Put trees into tables, one row for each."""
        nodes = max((len(tree.inputs) for tree in trees), default=0)
        size = nodes + max((len(tree.leaves) for tree in trees), default=0)
        stay = np.tile(np.arange(size), (len(trees), 1))
        table = cls(
            np.zeros((len(trees), size), dtype=np.int64), np.full((len(trees), size), np.inf),
            stay.copy(), stay.copy(), np.zeros((len(trees), size)), max(map(_depth, trees), default=0),
        )  # fmt: skip
        for row, tree in enumerate(trees):
            inner = len(tree.inputs)
            table.inputs[row, :inner], table.limits[row, :inner] = tree.inputs, tree.limits
            table.below[row, :inner], table.above[row, :inner] = (
                [child if child >= 0 else nodes - 1 - child for child in children]
                for children in (tree.below, tree.above)
            )
            table.worth[row, nodes : nodes + len(tree.leaves)] = tree.leaves
            if not inner:
                table.worth[row, 0] = tree.leaves[0]
        return table

    def score(self, rows: Floats) -> Floats:
        """Return for each row of (rows, inputs) the sum of the leaves that it reaches in all trees."""
        parts = [self._some(rows[start : start + _AT_ONCE]) for start in range(0, len(rows), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _some(self, rows: Floats) -> Floats:
        trees, size = self.inputs.shape
        root, row = np.arange(trees) * size, np.arange(len(rows))[:, None] * rows.shape[1]
        inputs, limits, values = self.inputs.ravel(), self.limits.ravel(), np.ascontiguousarray(rows).ravel()
        below, above = self.below.ravel(), self.above.ravel()
        at = np.broadcast_to(root, (len(rows), trees))
        for _ in range(self.depth):
            is_below = values.take(row + inputs.take(at)) <= limits.take(at)
            at = root + np.where(is_below, below.take(at), above.take(at))
        return np.asarray(self.worth.ravel().take(at).sum(axis=1), dtype=np.float64)


def _depth(tree: Tree) -> int:
    """Return the number of nodes on the longest way to a leaf."""
    depths = {0: 1} if len(tree.inputs) else {}
    for node in range(len(tree.inputs)):  # nodes come after the one that leads to them
        for child in (tree.below[node], tree.above[node]):
            if child >= 0:
                depths[child] = depths[node] + 1
    return max(depths.values(), default=0)
