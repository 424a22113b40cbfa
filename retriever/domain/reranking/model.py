"""The trained models of the reranker (scripts/train_ranker.py), and the features that they use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.describing.model import Network, Scale
    from retriever.domain.ranking.corpus import Floats, Ints
    from retriever.domain.ranking.query import Query
    from retriever.domain.reranking.trees import Trees

    Columns = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Parts:
    """How well each part of a report describes functions: columns by name of the part."""

    by_name: Mapping[str, Columns]

    def among(self, positions: Ints) -> Parts:
        """Return the columns of the functions at some positions, in that order."""
        return Parts(
            {part: {name: values[positions] for name, values in each.items()} for part, each in self.by_name.items()}
        )

    def columns(self, network: Network) -> Columns:
        """Return all columns, and for each part the scores of its columns by the network trained on descriptions."""
        found: dict[str, Floats] = {}
        for part, columns in self.by_name.items():
            found |= {f"{part}: {name}": values for name, values in columns.items()}
            found[f"{part}: by network"] = network.scores(columns)
        return found


@dataclass(frozen=True, slots=True)
class RerankerModel:
    """
    Boosted trees over the features of functions, or of files.

    Args:
        scale: Brings columns to one scale, each by itself and among those that are reranked.
        trees: Compute the gain in score from these inputs.
    """

    scale: Scale
    trees: Trees

    def gains(self, columns: Columns, signs: Mapping[str, float]) -> Floats:
        """
        Return the gain in score of each function, or file.

        Args:
            columns: By name; one that is not there is 0 for all.
            signs: Features that are the same for all.
        """
        return self.trees.score(inputs_of(self.scale, columns, signs))


@dataclass(frozen=True, slots=True)
class RerankerModels:
    """The reranker's trees, for functions and for files."""

    functions: RerankerModel
    files: RerankerModel


def inputs_of(scale: Scale, columns: Columns, signs: Mapping[str, float]) -> Floats:
    """Return a row of tree inputs per function or file: the columns scaled in two ways, then the signs by name."""
    size = len(next(iter(columns.values())))
    nothing = np.zeros(size)
    inputs = scale.inputs({name: columns.get(name, nothing) for name in scale.names})
    return np.column_stack((inputs, np.tile([signs[name] for name in sorted(signs)], (size, 1))))


def signs_of_query(query: Query, symbols: int, files: int) -> Mapping[str, float]:
    """Return the features of a report that do not depend on the candidate, and ln(1 + number of candidates)."""
    mentions = query.mentions
    numbers: dict[str, float] = {
        **{f"{view} terms": float(np.count_nonzero(weights > 0)) for view, weights in query.weights.items()},
        "frames": len(mentions.frames), "dotted names": len(mentions.dotted), "paths": len(mentions.paths),
        "names in code": len(mentions.in_code), "symbols": symbols, "files": files,
    }  # fmt: skip
    return {name: float(np.log1p(number)) for name, number in numbers.items()}
