"""Reads what was learned of descriptions, which is a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from retriever.domain.describing.model import DescribingModel, Weighting
from retriever.domain.describing.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_describing_model() -> DescribingModel:
    """Read `retriever/data/describing.json` (weights with and without vectors, the floor) and `wording.json`."""
    content = _read("describing.json")
    words, vectors = _weighting(content["words"]), _weighting(content["vectors"])
    wording = _read("wording.json")
    known = Wording(wording["echoes"], wording["kinds"], wording["hints"])
    return DescribingModel(words, vectors, float(content["floor"]), known)


def _read(name: str) -> Any:
    return json.loads(files("retriever").joinpath("data", name).read_text(encoding="utf-8"))


def _weighting(content: Mapping[str, Any]) -> Weighting:
    return Weighting(content["columns"], content["signs"], float(content["bias"]))
