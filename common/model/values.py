"""Requests to models and their answers, independent of vendors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.contract.usage import TokenUsage


class ModelRole(Enum):
    """Purpose of a request; each role may have a model of its own."""

    ANSWER = "answer"
    JUDGE = "judge"
    ROLLOUT = "rollout"
    ROLLOUT_JUDGE = "rollout_judge"
    SHADOW = "shadow"
    SHADOW_JUDGE = "shadow_judge"
    CLASSIFY = "classify"
    ENRICH = "enrich"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Part:
    """
    A piece of prompt.

    Args:
        text: Not empty.
        cache: The prompt up to the end of this piece is the same in the next request, so that the endpoint may keep
            it; at most 4 pieces of a request.
    """

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A user turn."""

    parts: tuple[Part, ...]

    @classmethod
    def user(cls, *parts: Part | str) -> Turn:
        """Return a turn of the user."""
        return cls(tuple(Part(each) if isinstance(each, str) else each for each in parts))


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """
    One question to a model.

    Args:
        role: Chooses the model.
        turns: The user's turns; answers of the model are never sent back.
        system: Instructions; the stable ones first, so that they can be cached.
        max_tokens: Limit of the answer in tokens; None takes the role's.
        tools: Tools that the model may call any number of times, besides the text of its answer.
    """

    role: ModelRole
    turns: tuple[Turn, ...]
    system: tuple[Part, ...] = ()
    max_tokens: int | None = None
    tools: tuple[OutputSchema, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """
    The form of a structured answer, or of a call of a tool.

    Args:
        name: Letters, digits and underscores.
        description: Tells the model what to fill in.
        properties: JSON schema of each property.
        required: Names of the required properties.
    """

    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()

    @property
    def json_schema(self) -> Mapping[str, Any]:
        """Return the form as a JSON schema."""
        return {"type": "object", "properties": dict(self.properties), "required": list(self.required)}


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer's text; not empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model called; `arguments` are JSON as it wrote them, maybe cut off."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """The answer broke off and is requested again: everything received before is void."""


@dataclass(frozen=True, slots=True)
class Finished:
    """
    The end of an answer.

    Args:
        model: The model that answered, by its own name.
        stop_reason: end_turn, max_tokens, stop_sequence, tool_use, refusal; others may come.
        usage: Tokens of the request.
        cost_usd: Cost of these tokens by the configured prices; 0 if there are none.
    """

    model: str
    stop_reason: str
    usage: TokenUsage
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Structured:
    """The whole of a structured answer."""

    value: Mapping[str, Any]


ModelChunk: TypeAlias = TextDelta | ToolCall | Restarted | Finished
Event: TypeAlias = TextDelta | ToolCall | Restarted | Structured | Finished


@dataclass(frozen=True, slots=True)
class Completion:
    """A structured answer: the properties of its schema, and how it ended."""

    value: Mapping[str, Any]
    finished: Finished
