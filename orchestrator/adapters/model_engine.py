"""The engine that asks a model, and the judge that does."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from common.core.errors import ModelUnavailable
from common.model.values import Finished, ModelRequest, ModelRole, OutputSchema, TextDelta
from orchestrator.domain.answer import Judgement, TokenUsage
from orchestrator.domain.answer_format import AnswerParser
from orchestrator.domain.graph import linearise
from orchestrator.domain.orders import EngineDone, EngineText

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from common.model.client import ModelClient
    from common.model.values import ModelChunk, Usage
    from orchestrator.adapters.prompts import AnswerPrompt, JudgePrompt
    from orchestrator.domain.orders import EngineOutput, PassTask
    from orchestrator.domain.references import Reference
    from orchestrator.domain.state import AnswerState

_JUDGEMENT = OutputSchema(
    name="judgement",
    description="Whether evidence and graph suffice to answer the question.",
    properties={
        "sufficient": {"type": "boolean"},
        "reasoning": {"type": "string"},
        "sub_question": {"type": "string", "description": "What to look for next; empty if sufficient."},
    },
    required=("sufficient", "reasoning", "sub_question"),
)
_MAX_REASONING = 500
# Reasons by which an answer ends before its end.
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
_REFUSED = "refusal"


class StreamedModel(Protocol):
    """Asks a model, as `ModelClient` does."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Give text as it comes, then one `Finished`."""
        ...


class ModelEngine:
    """
    Lets the model of a role write.

    Args:
        client: The way to models.
        prompt: Makes the prompt.
        max_gaps: What a pass names beyond this is left out.
        role: Whose model writes.
    """

    name = "anthropic"

    def __init__(
        self, client: StreamedModel, prompt: AnswerPrompt, *, max_gaps: int = 5, role: ModelRole = ModelRole.ANSWER
    ) -> None:
        self._client = client
        self._prompt = prompt
        self._max_gaps = max_gaps
        self._role = role

    async def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """
        Write one pass; closing the generator closes the connection to the model.

        A pass without text is none, whatever it asks for: an answer may end with any pass.
        """
        parser = AnswerParser(max_gaps=self._max_gaps)
        finished: Finished | None = None
        heard = ""
        is_empty = True
        request, is_question_cut = self._request(task)
        async with aclosing(self._client.stream(request)) as chunks:
            # Prompts are large, and many answers are written at once.
            del request
            async for chunk in chunks:
                match chunk:
                    case TextDelta():
                        heard += chunk.text
                        text = parser.feed(chunk.text)
                        is_empty = is_empty and not text.strip()
                        if text:
                            yield EngineText(text)
                    case Finished():
                        finished = chunk
        rest = parser.finish()
        if finished is not None and finished.stop_reason == _REFUSED:
            raise ModelUnavailable("the model refused to answer")
        if finished is None or (is_empty and not rest.strip()):
            raise ModelUnavailable("the model gave no answer")
        if rest:
            yield EngineText(rest)
        yield EngineDone(
            parser.gaps,
            _usage(finished.usage),
            finished.model,
            is_cut=finished.stop_reason in _CUT,
            is_question_cut=is_question_cut,
            heard=heard,
            unread=parser.unread,
        )

    def _request(self, task: PassTask) -> tuple[ModelRequest, bool]:
        built = self._prompt.build(task, task.max_tokens)
        return ModelRequest(self._role, built.turns, built.system), built.is_question_cut


class ModelJudge:
    """Lets the model of a role decide."""

    def __init__(self, client: ModelClient, prompt: JudgePrompt, *, role: ModelRole = ModelRole.JUDGE) -> None:
        self._client = client
        self._prompt = prompt
        self._role = role

    async def judge(
        self,
        state: AnswerState,
        question: str,
        references: Sequence[Reference],  # noqa: ARG002 (the graph says it)
        *,
        is_last: bool,  # noqa: ARG002 (the loop decides whether to go on)
    ) -> Judgement:
        """Return sufficient, or the next sub-question. Raises ModelUnavailable."""
        history = [
            f"{'sufficient' if each.sufficient else each.sub_question}: {each.reasoning}" for each in state.judgements
        ]
        system, turns = self._prompt.build(question, state.evidence, linearise(state.triples), history)
        request = ModelRequest(self._role, turns, system, max_tokens=self._prompt.max_tokens)
        completion = await self._client.complete(request, _JUDGEMENT)
        return _judgement(completion.value, len(state.judgements) + 1, completion.finished.model)


def _judgement(value: Mapping[str, Any], iteration: int, model: str) -> Judgement:
    is_sufficient = value.get("sufficient")
    if not isinstance(is_sufficient, bool):
        raise ModelUnavailable("the model's judgement does not say whether the evidence suffices")
    reasoning = " ".join(str(value.get("reasoning", "")).split())[:_MAX_REASONING]
    sub_question = " ".join(str(value.get("sub_question", "")).split())[:_MAX_REASONING]
    return Judgement(iteration, is_sufficient, reasoning, "" if is_sufficient else sub_question, model)


def _usage(usage: Usage) -> TokenUsage:
    return TokenUsage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
