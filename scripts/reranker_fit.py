"""Trains the reranker: one tree model for functions, over how well a report describes them, and one for files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.describing.model import Scale
from retriever.domain.reranking.files import RankedFiles, own_columns
from retriever.domain.reranking.functions import RankedFunctions
from retriever.domain.reranking.model import RerankerModel, inputs_of
from retriever.domain.reranking.trees import Tree, Trees
from scripts.ranking_examples import Sort

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from retriever.domain.describing.model import Network
    from retriever.domain.ranking.rank import Scores
    from scripts.ranking_examples import Example

    Floats = NDArray[np.float64]

TREES, LEAVES, RATE = 300, 12, 0.04
LEAST_IN_LEAF, RIDGE = 60, 20.0
SHARE_OF_INPUTS, SHARE_OF_ROWS = 0.3, 0.7
WORTH: Mapping[Sort, float] = {Sort.REPORT: 1.0, Sort.SCRAPED: 0.7, Sort.CHANGE: 0.5, Sort.QUESTION: 0.0}
"""Weight of a query by its source; scraped reports and changes count more than in `ranking_folds.LENT`."""
LEAST_SPREAD = 0.01
DIGITS = 6
"""Significant digits of written numbers."""


@dataclass(frozen=True)
class Group:
    """
    The input of the trees for one query: the functions, or the files, that are reranked.

    Args:
        columns: Features of the reranked functions or files.
        signs: Features of the query.
        right: Which functions or files are right.
        below_best: Difference of each second-stage score to the best one.
        worth: Weight of the query.
    """

    columns: Mapping[str, Floats]
    signs: Mapping[str, float]
    right: NDArray[np.bool_]
    below_best: Floats
    worth: float


@dataclass(frozen=True)
class Reranked:
    """
    One query as the reranker sees it.

    Args:
        ranked: Functions ranked by out-of-fold scores.
        functions: Input of the trees for functions.
    """

    example: Example
    ranked: RankedFunctions
    functions: Group

    @classmethod
    def of(cls, example: Example, first: Scores, second: Scores, network: Network) -> Reranked:
        """Compute the features of a query's functions; in `first` and `second`, unranked files have the score -inf."""
        ranked = RankedFunctions.of(example.functions, first, second)
        names = dict(zip(example.symbols.at.tolist(), example.symbols.names, strict=True))
        rows = example.functions.rows[ranked.head].tolist()
        right = np.array([names[row] in example.case.functions for row in rows], dtype=np.bool_)
        parts = example.parts.among(ranked.head).columns(network)
        columns = {**ranked.columns(), **parts}
        worth = WORTH[example.case.sort]
        return cls(example, ranked, Group(columns, example.signs, right, ranked.below_best[: len(right)], worth))

    def files(self, symbols: Floats) -> Group:
        """Return the input for files; `symbols` are the out-of-fold scores of all candidates after reranking."""
        example, first = self.example, self.ranked.first
        files = RankedFiles.of(self.ranked.second.files)
        row = np.full(example.total_files, -1, dtype=np.int64)
        row[example.files.at] = np.arange(len(example.files.at))
        rows = row[files.head]
        own = own_columns(example.columns["files"], example.files.rows[rows].astype(np.float64))
        columns = {**own, **files.columns(example.around, example.functions, first.files, symbols)}
        return Group(columns, example.signs, example.files.right[rows], files.below_best, WORTH[example.case.sort])


@dataclass(frozen=True)
class Grown:
    """Fitted trees, as they are saved."""

    scale: Scale
    trees: tuple[Tree, ...]

    def model(self) -> RerankerModel:
        """Return the model as the product reads it."""
        return RerankerModel(self.scale, Trees.of(self.trees))

    def as_json(self) -> dict[str, Any]:
        """Return what `retriever/data/reranker.json` holds."""
        pairs = zip(self.scale.average.tolist(), self.scale.spread.tolist(), strict=True)
        columns = {name: list(pair) for name, pair in zip(self.scale.names, pairs, strict=True)}
        trees = [{part: getattr(tree, part) for part in Tree.__slots__} for tree in self.trees]
        return {"columns": columns, "trees": trees}


def grow(groups: Sequence[Group]) -> Grown:
    """Boost trees on top of the second-stage scores (LambdaMART: Burges, MSR-TR-2010-82)."""
    import lightgbm  # needed for training only

    kept = [each for each in groups if each.right.any()]
    scale = scale_of(kept)
    sizes = [len(each.right) for each in kept]
    data = lightgbm.Dataset(
        np.concatenate([inputs_of(scale, each.columns, each.signs).astype(np.float32) for each in kept]),
        np.concatenate([each.right for each in kept]).astype(np.int64),
        group=sizes,
        weight=np.repeat([each.worth for each in kept], sizes),
        init_score=np.concatenate([each.below_best for each in kept]),
    )
    options = {
        "objective": "lambdarank", "learning_rate": RATE, "num_leaves": LEAVES, "min_data_in_leaf": LEAST_IN_LEAF,
        "lambda_l2": RIDGE, "feature_fraction": SHARE_OF_INPUTS, "bagging_fraction": SHARE_OF_ROWS, "bagging_freq": 1,
        "seed": 1, "deterministic": True, "force_row_wise": True, "verbose": -1,
    }  # fmt: skip
    grown = lightgbm.train(options, data, TREES).dump_model()
    return Grown(scale, tuple(tree_of(each["tree_structure"]) for each in grown["tree_info"]))


def scale_of(groups: Sequence[Group]) -> Scale:
    """Return mean and deviation of columns over all rows; one that hardly varies is not scaled up."""
    names = sorted({name for each in groups for name in each.columns})
    average, spread = [], []
    for name in names:
        values = np.concatenate([each.columns.get(name, np.zeros(len(each.right))) for each in groups])
        average.append(_short(values.mean()))
        spread.append(_short(max(values.std(), LEAST_SPREAD)))
    return Scale(tuple(names), np.array(average), np.array(spread))


def tree_of(root: Mapping[str, Any]) -> Tree:
    """Return a tree of LightGBM as lists, nodes and leaves in depth-first order."""
    tree = Tree([], [], [], [], [])
    _lay(root, tree)
    return tree


def _lay(node: Mapping[str, Any], tree: Tree) -> int:
    """Append a node and all below it; return the reference to it: a position, negative for a leaf."""
    if "leaf_value" in node:
        tree.leaves.append(_short(node["leaf_value"]))
        return -len(tree.leaves)
    at = len(tree.inputs)
    tree.inputs.append(int(node["split_feature"]))
    tree.limits.append(_short(node["threshold"]))
    tree.below.append(0)
    tree.above.append(0)
    tree.below[at] = _lay(node["left_child"], tree)
    tree.above[at] = _lay(node["right_child"], tree)
    return at


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
