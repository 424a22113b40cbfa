"""Asks a model for the purpose of files; the prompt marks the input as data, and the output is validated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from common.model.prompts import read_prompt
from common.model.values import ModelRequest, ModelRole, OutputSchema, Part, Turn
from indexer.domain.text.enrichment import Described, read_note

if TYPE_CHECKING:
    import asyncio

    from common.model.client import ModelClient
    from indexer.domain.text.enrichment import FileToDescribe

_PROMPTS = Path(__file__).parents[2] / "prompts"
_TEXT, _LIST = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_SCHEMA = OutputSchema(
    name="file_note",
    description="What the file is for.",
    properties={"purpose": _TEXT, "domain": _TEXT, "concepts": _LIST},
    required=("purpose", "domain", "concepts"),
)
_log = structlog.get_logger(__name__)


class ModelFileDescriber:
    """
    Implements `FileDescriber` by the model of the role "enrich".

    Args:
        runner: Event loop for the client's asynchronous calls; the process has no other one.
    """

    def __init__(self, client: ModelClient, model: str, runner: asyncio.Runner) -> None:
        self._client = client
        self._model = model
        self._runner = runner
        self._system = read_prompt(_PROMPTS / "describe_file_system.txt")
        self._prompt = read_prompt(_PROMPTS / "describe_file.txt")
        _log.info("enrichment.prompts", model=model, system=self._system.sha256, prompt=self._prompt.sha256)

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self._model

    @property
    def version(self) -> str:
        """Return model and hashes of the prompts."""
        return f"{self._model} {self._system.sha256} {self._prompt.sha256}"

    def describe(self, file: FileToDescribe) -> Described:
        """Return the model's note on a file and the tokens used. Raises ModelFailed, a ModelUnavailable."""
        path, page = (text.replace("</file", "<\\/file").replace('"', "'") for text in (file.path, file.page))
        request = ModelRequest(
            role=ModelRole.ENRICH,
            turns=(Turn.user(self._prompt.render(path=path, page=page)),),
            system=(Part(self._system.render(), cache=True),),
            max_tokens=self._prompt.max_tokens,
        )
        completion = self._runner.run(self._client.complete(request, _SCHEMA))
        usage = completion.finished.usage
        return Described(read_note(completion.value), usage.total_input_tokens + usage.output_tokens)
