"""Reads what the reranker has learned, which is a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.describing.model import Scale
from retriever.domain.reranking.model import RerankerModel, RerankerModels
from retriever.domain.reranking.trees import Tree, Trees

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_reranker_models() -> RerankerModels:
    """
    Read `retriever/data/reranker.json`.

    For functions and for files it holds average and spread of each column, and trees as lists by field.
    """
    content = json.loads(files("retriever").joinpath("data", "reranker.json").read_text(encoding="utf-8"))
    return RerankerModels(_model(content["functions"]), _model(content["files"]))


def _model(content: Mapping[str, Any]) -> RerankerModel:
    columns = content["columns"]
    average, spread = np.array([columns[name] for name in columns], dtype=np.float64).T
    trees = Trees.of([Tree(*(each[part] for part in Tree.__slots__)) for each in content["trees"]])
    return RerankerModel(Scale(tuple(columns), average, spread), trees)
