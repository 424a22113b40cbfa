"""Reads what was learned of descriptions, which is a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from retriever.domain.describing.model import DescribingModel, Network, Scale, Weighting
from retriever.domain.describing.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_describing_model() -> DescribingModel:
    """Read `retriever/data/describing.json` (network, weights with and without vectors, floor) and `wording.json`."""
    content = _read("describing.json")
    words, vectors = _weighting(content["words"]), _weighting(content["vectors"])
    wording = _read("wording.json")
    known = Wording(wording["echoes"], wording["kinds"], wording["hints"])
    network = _network(content["network"])
    return DescribingModel(network, words, vectors, float(content["floor"]), known)


def _read(name: str) -> Any:
    return json.loads(files("retriever").joinpath("data", name).read_text(encoding="utf-8"))


def _network(content: Mapping[str, Any]) -> Network:
    columns = content["columns"]
    average, spread = np.array([columns[name] for name in columns], dtype=np.float64).T
    parts = [np.array(content[part], dtype=np.float64) for part in ("hidden", "bias", "units", "direct")]
    return Network(Scale(tuple(columns), average, spread), *parts)


def _weighting(content: Mapping[str, Any]) -> Weighting:
    return Weighting(content["columns"], content["signs"], float(content["bias"]))
