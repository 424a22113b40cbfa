"""Reads what the ranking learned, which is a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

from retriever.domain.ranking.model import Fusion, RankingModel, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_ranking_model() -> RankingModel:
    """
    Read `retriever/data/ranking.json`.

    By sort of query it holds the weights of each level, by signal and column, and those of the second stage.
    """
    sorts = json.loads(files("retriever").joinpath("data/ranking.json").read_text(encoding="utf-8"))
    return RankingModel(question=_fusion(sorts["question"]), report=_fusion(sorts["report"]))


def _fusion(learned: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Fusion:
    levels = ("files", "symbols", "files again", "symbols again")
    return Fusion(*(_weights(learned[level]) for level in levels))


def _weights(signals: Mapping[str, Mapping[str, float]]) -> Weights:
    return Weights({(signal, name): weight for signal, columns in signals.items() for name, weight in columns.items()})
