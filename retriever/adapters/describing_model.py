"""Reads what was learned of descriptions, which is a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from retriever.domain.describing.model import DescribingModel, Weighting

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_describing_model() -> DescribingModel:
    """Read `retriever/data/describing.json`: weights with and without vectors, and the floor."""
    content = json.loads(files("retriever").joinpath("data/describing.json").read_text(encoding="utf-8"))
    return DescribingModel(_weighting(content["words"]), _weighting(content["vectors"]), float(content["floor"]))


def _weighting(content: Mapping[str, Any]) -> Weighting:
    return Weighting(content["columns"], content["signs"], float(content["bias"]))
