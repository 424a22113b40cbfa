"""The models that read a question, from the data file beside the code."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classifier.domain.reading.features import Concepts
from classifier.domain.reading.linear import LinearModel
from classifier.domain.reading.understand import Models

if TYPE_CHECKING:
    from collections.abc import Mapping

_DATA = Path(__file__).parent.parent / "data"


def read_models(data: Mapping[str, Any] | None = None) -> Models:
    """Return the models of a data file; of the one that the classifier comes with if none is given."""
    found = data if data is not None else json.loads((_DATA / "reading.json").read_text(encoding="utf-8"))
    return Models(
        intent=_linear(found["intent"]),
        slot=_linear(found["slot"]),
        language=_linear(found["language"]),
        vocabulary=frozenset(found["vocabulary"]),
        openers=frozenset(found["openers"]),
        allowed={intent: tuple(tags) for intent, tags in found["allowed"].items()},
        concepts=read_concepts(),
    )


def read_concepts() -> Concepts:
    """Return the words that mean the same."""
    found = tomllib.loads((_DATA / "concepts.toml").read_text(encoding="utf-8"))
    return Concepts(found["concepts"], found["silent"])


def _linear(found: Mapping[str, Any]) -> LinearModel:
    weights = {
        name: tuple(zip(row[::2], (each / 100 for each in row[1::2]), strict=True))
        for name, row in found["weights"].items()
    }
    return LinearModel(tuple(found["labels"]), weights, found.get("temperature", 1.0))
