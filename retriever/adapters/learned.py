"""Reads the trained models, which are data files of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.describing.model import DescribingModel, Network, Scale, Weighting
from retriever.domain.describing.wording import Wording
from retriever.domain.packing.worth import Logistic, WorthModel
from retriever.domain.ranking.model import Fusion, RankingModel, Weights
from retriever.domain.reranking.model import RerankerModel, RerankerModels
from retriever.domain.reranking.trees import Tree, Trees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def read_ranking_model() -> RankingModel:
    """
    Read `retriever/data/ranking.json`.

    For questions and for reports it has the weights of each level, by signal and column, and of the second stage.
    """
    sorts = _read("ranking.json")
    return RankingModel(question=_fusion(sorts["question"]), report=_fusion(sorts["report"]))


def read_reranker_models() -> RerankerModels:
    """
    Read `retriever/data/reranker.json`.

    For functions and for files it has average and spread of each column, and the trees as lists by field of `Tree`.
    """
    content = _read("reranker.json")
    return RerankerModels(_reranker(content["functions"]), _reranker(content["files"]))


def read_describing_model() -> DescribingModel:
    """Read `retriever/data/describing.json` (network, weights with and without vectors, floor) and `wording.json`."""
    content, wording = _read("describing.json"), _read("wording.json")
    return DescribingModel(
        _network(content["network"]),
        _weighting(content["words"]),
        _weighting(content["vectors"]),
        float(content["floor"]),
        Wording(wording["echoes"], wording["kinds"], wording["hints"]),
    )


def read_worth_model(name: str = "packing.json") -> WorthModel:
    """Read `retriever/data/packing.json`: two sets of boosted trees for units, and three logistic models."""
    content = _read(name)
    logistic = (
        Logistic(content[each]["weights"], float(content[each]["bias"])) for each in ("passages", "paired", "certainty")
    )
    return WorthModel(_trees(content["units"]), _trees(content["read"]), *logistic)


def _read(name: str) -> Any:
    return json.loads(files("retriever").joinpath("data", name).read_text(encoding="utf-8"))


def _fusion(learned: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Fusion:
    levels = ("files", "symbols", "files again", "symbols again")
    return Fusion(*(_weights(learned[level]) for level in levels))


def _weights(signals: Mapping[str, Mapping[str, float]]) -> Weights:
    return Weights({(signal, name): weight for signal, columns in signals.items() for name, weight in columns.items()})


def _reranker(content: Mapping[str, Any]) -> RerankerModel:
    return RerankerModel(_scale(content["columns"]), _trees(content["trees"]))


def _trees(content: Sequence[Mapping[str, Any]]) -> Trees:
    return Trees.of([Tree(*(each[part] for part in Tree.__slots__)) for each in content])


def _network(content: Mapping[str, Any]) -> Network:
    parts = [np.array(content[part], dtype=np.float64) for part in ("hidden", "bias", "units", "direct")]
    return Network(_scale(content["columns"]), *parts)


def _weighting(content: Mapping[str, Any]) -> Weighting:
    return Weighting(content["columns"], content["signs"], float(content["bias"]))


def _scale(columns: Mapping[str, tuple[float, float]]) -> Scale:
    average, spread = np.array(list(columns.values()), dtype=np.float64).T
    return Scale(tuple(columns), average, spread)
