"""The deterministic engine: weights and word groups read once from the data files beside the code."""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from classifier.domain.features import Lexicon
from classifier.domain.modes import ModeModel
from classifier.domain.values import Engine

if TYPE_CHECKING:
    from classifier.domain.understanding import Understanding
    from classifier.domain.values import Anchors, Verdict

_DATA = Path(__file__).parent.parent / "data"
LONG_CHARS = 8000


def read_mode_model() -> ModeModel:
    """Read the lexicon and the weights that the classifier comes with."""
    words = tomllib.loads((_DATA / "lexicon.toml").read_text(encoding="utf-8"))
    fitted = json.loads((_DATA / "weights.json").read_text(encoding="utf-8"))
    return ModeModel(fitted["weights"], fitted["bias"], fitted["temperature"], Lexicon(words["groups"], words["verbs"]))


class RulesEngine:
    """Decides by the logistic model; needs no account and never fails."""

    kind = Engine.RULES

    def __init__(self, model: ModeModel) -> None:
        self._model = model

    async def decide(self, question: str, anchors: Anchors, understanding: Understanding) -> Verdict:
        """Choose a mode; long texts are read off the event loop."""
        if len(question) > LONG_CHARS:
            return await asyncio.to_thread(self._model.decide, question, anchors, understanding)
        return self._model.decide(question, anchors, understanding)
