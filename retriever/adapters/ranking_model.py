"""Reads the weights of the ranking, which are a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files

from retriever.domain.ranking.model import RankingModel, Weights


def read_ranking_model() -> RankingModel:
    """Read `retriever/data/ranking.json`: weights by sort of query, level, signal and column."""
    nested = json.loads(files("retriever").joinpath("data/ranking.json").read_text(encoding="utf-8"))
    sets = {
        f"{sort}_{level}": Weights(
            {(signal, column): weight for signal, columns in signals.items() for column, weight in columns.items()}
        )
        for sort, levels in nested.items()
        for level, signals in levels.items()
    }
    return RankingModel(**sets)
