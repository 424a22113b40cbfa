"""The model engine: asks a small model for a structured reading of a question, and validates its output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from classifier.adapters.model_parts import SCHEMA, parts_of
from classifier.domain.scope import find_scope
from classifier.domain.values import Engine, Mode, Verdict
from common.model.failures import Cause, ModelFailed
from common.model.prompts import read_prompt
from common.model.values import ModelRequest, ModelRole, OutputSchema, Part, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding
    from common.model.client import ModelClient

PROMPTS = Path(__file__).parent.parent / "prompts"
MOST_QUESTION_CHARS = 12_000
MOST_REASONING_CHARS = 300

_SCHEMA = OutputSchema(
    name="classification",
    description="How the question is to be answered.",
    properties={
        "mode": {"type": "string", "enum": [mode.name for mode in Mode]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "reasoning": {"type": "string"},
        "scope": {"type": "string"},
        "parts": SCHEMA,
    },
    required=("mode", "confidence", "reasoning", "scope"),
)
_log = structlog.get_logger(__name__)


class ModelEngine:
    """Asks the model of the role "classify", which gets the first MOST_QUESTION_CHARS characters of a question."""

    kind = Engine.MODEL

    def __init__(self, client: ModelClient, prompts: Path = PROMPTS) -> None:
        self._client = client
        self._system = read_prompt(prompts / "classify_system.txt")
        self._prompt = read_prompt(prompts / "classify.txt")

    async def decide(
        self,
        question: str,
        anchors: Anchors,  # noqa: ARG002 (a model reads the text itself)
        understanding: Understanding,  # noqa: ARG002
    ) -> Verdict:
        """Ask the model. Raises ModelFailed, also if its verdict has no known mode or no confidence."""
        hashes = {"prompt_sha256": self._prompt.sha256, "system_sha256": self._system.sha256}
        _log.debug("classification.model_asked", prompt=self._prompt.name, **hashes)
        shown = question[:MOST_QUESTION_CHARS].replace("</question", "<\\/question")
        request = ModelRequest(
            role=ModelRole.CLASSIFY,
            turns=(Turn.user(self._prompt.render(question=shown)),),
            system=(Part(self._system.render(), cache=True),),
            max_tokens=self._prompt.max_tokens,
        )
        completion = await self._client.complete(request, _SCHEMA)
        return _verdict(completion.value, question)


def _verdict(value: Mapping[str, Any], question: str) -> Verdict:
    name, confidence = value.get("mode"), value.get("confidence")
    if name not in Mode.__members__ or isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise ModelFailed(Cause.UNUSABLE, "the model's verdict has no known mode or no confidence")
    reasoning = " ".join(str(value.get("reasoning", "")).split())[:MOST_REASONING_CHARS]
    scope = str(value.get("scope", "")).strip()
    # A scope that does not occur in the question is invented by the model: the rules' scope replaces it.
    if not scope or scope not in question:
        scope = find_scope(question)
    chance = min(max(float(confidence), 0.0), 1.0)
    return Verdict(Mode[str(name)], chance, reasoning, scope, parts_of(value.get("parts"), question, chance))
