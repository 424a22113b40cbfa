"""One answer of a model, collected from the events of any vendor's API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from common.core.contract.usage import TokenUsage
from common.model.failures import Cause, ModelFailed
from common.model.texts import StreamSanitizer, sanitize, sanitize_json
from common.model.values import Finished, Structured, TextDelta, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from common.model.config import RoleModel
    from common.model.values import Event, OutputSchema

REFUSAL = "refusal"
# Bounds of an answer, whose limit is a number of tokens: the longest token is a run of 128 blanks.
_MOST_CHARS_PER_TOKEN = 128
_MOST_TOKENS = 100_000_000


@dataclass(slots=True)
class _Call:
    index: int
    call_id: str
    name: str
    pieces: list[str] = field(default_factory=list)


class ReceivedAnswer:
    """
    Collects text, tool calls, usage and the end of one answer.

    Every value is checked here, because it comes from outside. Wrong types and sizes raise ValueError or TypeError,
    which the endpoint reports as a malformed answer.

    Args:
        model: The model that was asked.
        schema: Form of a structured answer. Its text is then not given piece by piece.
        max_tokens: Longest answer that was asked for; a longer one raises ValueError.
    """

    __slots__ = (
        *("_calls", "_left", "_model", "_name", "_pieces", "_schema", "_usage", "_written"),
        *("begun", "ended", "stop"),
    )

    def __init__(self, model: RoleModel, schema: OutputSchema | None, max_tokens: int) -> None:
        self._model = model
        self._schema = schema
        self._left = max_tokens * _MOST_CHARS_PER_TOKEN
        self._pieces = StreamSanitizer()
        self._written: list[str] = []
        self._calls: list[_Call] = []
        self._name = ""
        self._usage = TokenUsage()
        self.begun = False
        self.ended = False
        self.stop = ""

    def begin(self, model: object) -> None:
        """Record that the answer has begun, and the model's name as its endpoint gives it."""
        self.begun = True
        self._name = sanitize(_text(model or ""))

    def text(self, piece: object) -> TextDelta | None:
        """Take text; return what can be passed on."""
        text = self._bounded(piece)
        if self._schema is not None:
            self._written.append(text)
            return None
        whole = self._pieces.take(text)
        return TextDelta(whole) if whole else None

    def call(self, index: object, name: object = None, arguments: object = None, call_id: object = None) -> None:
        """
        Take a part of a tool call.

        Args:
            index: Position of the call in the answer.
            name: Of the tool; needed in the first part only.
            arguments: The next piece of JSON.
            call_id: Distinguishes calls to which an endpoint gives the same index.
        """
        identity = _text(call_id or "")
        call = next((each for each in reversed(self._calls) if each.index == index), None)
        if call is None or (identity and identity != call.call_id):
            call = _Call(_count(index), identity, sanitize(_text(name or "")))
            self._calls.append(call)
        if arguments:
            call.pieces.append(self._bounded(arguments))

    def finish(self, reason: object) -> None:
        """Record why the answer ends; a refusal is never overwritten."""
        if self.stop != REFUSAL:
            self.stop = sanitize(_text(reason or ""))

    def count(self, usage: Mapping[str, object]) -> None:
        """Record token counts by the field names of `TokenUsage`: totals so far; None leaves a count unchanged."""
        known = self._usage
        self._usage = TokenUsage(
            *(
                before if (now := usage.get(name)) is None else _count(now)
                for name, before in (
                    ("input_tokens", known.input_tokens),
                    ("output_tokens", known.output_tokens),
                    ("cache_read_tokens", known.cache_read_tokens),
                    ("cache_write_tokens", known.cache_write_tokens),
                )
            )
        )

    def end(self) -> Iterable[Event]:
        """Return the last events of the answer; raises ModelFailed if it is empty or broke off."""
        if not self.begun:
            raise ModelFailed(Cause.MALFORMED, "the model endpoint sent an empty answer")
        if not self.ended:
            raise ModelFailed(Cause.INTERRUPTED, "the model endpoint broke off")
        finished = Finished(self._name, self.stop, self._usage, self._model.cost_usd(self._usage))
        if self._schema is not None:
            return Structured(self._structure(self._schema)), finished
        rest = self._pieces.end()
        calls = (ToolCall(call.name, sanitize("".join(call.pieces)) or "{}") for call in self._calls)
        return *((TextDelta(rest),) if rest else ()), *calls, finished

    def _structure(self, schema: OutputSchema) -> Mapping[str, Any]:
        """Return the structured answer: the arguments of the first tool call, else the text. Raises ModelFailed."""
        pieces = self._calls[0].pieces if self._calls else self._written
        try:
            value = sanitize_json(json.loads(sanitize("".join(pieces)) or "{}"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not value.keys() >= set(schema.required):
            reason = self.stop or "no reason"
            raise ModelFailed(Cause.UNUSABLE, f"the answer has not the form of {schema.name} (it ended with {reason})")
        return value

    def _bounded(self, piece: object) -> str:
        text = _text(piece)
        self._left -= len(text)
        if self._left < 0:
            raise ValueError("more than was asked for")
        return text


def _count(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= _MOST_TOKENS:
        raise ValueError("no count")
    return number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
