"""Loads the models that read questions from the package's data files; defines the engine that decides by them."""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classifier.domain.modes import decide
from classifier.domain.reading.features import Concepts
from classifier.domain.reading.linear import LinearModel
from classifier.domain.reading.understand import Models
from classifier.domain.values import Engine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from classifier.domain.values import Verdict
    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding

_DATA = Path(__file__).parent.parent / "data"
LONG_CHARS = 8000


def read_models(data: Mapping[str, Any] | None = None, mode: Mapping[str, Any] | None = None) -> Models:
    """Return the models; `mode` has the model of modes, `data` all others. By default the package's files are read."""
    found = data if data is not None else _data("reading.json")
    return Models(
        intent=_linear(found["intent"]),
        slot=_linear(found["slot"]),
        language=_linear(found["language"]),
        mode=_linear(mode if mode is not None else _data("modes.json")),
        vocabulary=frozenset(found["vocabulary"]),
        openers=frozenset(found["openers"]),
        allowed={intent: tuple(tags) for intent, tags in found["allowed"].items()},
        concepts=read_concepts(),
    )


def _data(name: str) -> Any:
    return json.loads((_DATA / name).read_text(encoding="utf-8"))


def read_concepts() -> Concepts:
    """Return the concepts of the package: groups of words with the same meaning."""
    found = tomllib.loads((_DATA / "concepts.toml").read_text(encoding="utf-8"))
    return Concepts(found["concepts"], found["silent"])


def _linear(found: Mapping[str, Any]) -> LinearModel:
    weights = {
        name: tuple(zip(row[::2], (each / 100 for each in row[1::2]), strict=True))
        for name, row in found["weights"].items()
    }
    return LinearModel(tuple(found["labels"]), weights, found.get("temperature", 1.0))


class RulesEngine:
    """Chooses the mode from the understanding of a question; needs no account and never fails."""

    kind = Engine.RULES

    def __init__(self, models: Models) -> None:
        self._models = models

    async def decide(self, question: str, anchors: Anchors, understanding: Understanding) -> Verdict:
        """Choose a mode, in a thread if the question is longer than LONG_CHARS."""
        if len(question) > LONG_CHARS:
            return await asyncio.to_thread(decide, question, anchors, understanding, self._models)
        return decide(question, anchors, understanding, self._models)
