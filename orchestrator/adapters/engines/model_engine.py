"""The engine and the judge that ask a model."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from common.core.errors import ModelUnavailable
from common.model.config import VENDOR_URLS
from common.model.failures import Cause, ModelFailed
from common.model.values import Finished, ModelRequest, ModelRole, OutputSchema, Restarted, TextDelta, ToolCall
from orchestrator.adapters.engines.prompts import FETCH, GapForm
from orchestrator.domain.answers.answer import Judgement
from orchestrator.domain.answers.orders import EngineDone, EngineRestarted, EngineText
from orchestrator.domain.evidence.piece import Triple
from orchestrator.domain.loop.graph import grounded, linearise
from orchestrator.domain.model_text.answer_format import AnswerParser
from orchestrator.domain.model_text.gap_section import read_json
from orchestrator.domain.model_text.links import LinkDisarmer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from common.core.contract.evidence import Gap
    from common.model.client import ModelClient
    from common.model.values import ModelChunk
    from orchestrator.adapters.engines.prompts import AnswerPrompt, JudgePrompt
    from orchestrator.domain.answers.orders import EngineOutput, PassTask, Unneeded
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.loop.references import Reference

MODEL_ENGINES = tuple(VENDOR_URLS)
"""Names of the engines with a model, which are those of the model APIs."""
_RELATION = ("evidence", "subject", "relation", "object")
_JUDGEMENT = OutputSchema(
    name="judgement",
    description="Whether evidence and graph suffice to answer the question.",
    properties={
        "relations": {
            "type": "array",
            "maxItems": 12,
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in _RELATION},
                "required": list(_RELATION),
            },
            "description": "What the new evidence shows and the graph lacks, each with its label, such as E3.",
        },
        "sufficient": {"type": "boolean"},
        "reasoning": {"type": "string"},
        "sub_question": {"type": "string", "description": "What to look for next; empty if sufficient."},
    },
    required=("sufficient", "reasoning", "sub_question"),
)
_MAX_REASONING = 500
_MAX_RELATION = 120
_MOST_UNREAD = 200
# Stop reasons of a text that is cut off.
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
_REFUSED = "refusal"
_log = structlog.get_logger(__name__)


class StreamedModel(Protocol):
    """Asks a model, as `ModelClient` does."""

    def stream(
        self, request: ModelRequest, again: Callable[[], ModelRequest] | None = None
    ) -> AsyncGenerator[ModelChunk, None]:
        """Yield events as they arrive, then one `Finished`; with `again` the answer may restart, after `Restarted`."""
        ...


class ModelEngine:
    """
    Writes answers by the model of a role.

    Args:
        client: Client of the models.
        prompt: Builds the prompt.
        max_gaps: Most gaps of a pass; further ones are left out.
        role: Role whose model writes.
        name: Name of the engine in events and answers, one of `MODEL_ENGINES`.
        form: How the model requests missing evidence. If an endpoint rejects a request with tools, this and all later
            requests are sent without tools.
    """

    def __init__(
        self,
        client: StreamedModel,
        prompt: AnswerPrompt,
        *,
        max_gaps: int = 5,
        name: str = MODEL_ENGINES[0],
        role: ModelRole = ModelRole.ANSWER,
        form: GapForm = GapForm.TEXT,
    ) -> None:
        self.name = name
        self._client = client
        self._prompt = prompt
        self._max_gaps = max_gaps
        self._role = role
        self._form = form

    async def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """
        Write one pass; closing the generator closes the connection to the model.

        Raises ModelUnavailable for a pass without text that is the last or names no gaps.
        """
        form = self._form
        try:
            async with aclosing(self._answer(task, form)) as outputs:
                async for output in outputs:
                    yield output
            return
        except ModelFailed as failure:
            if form is GapForm.TEXT or failure.cause is not Cause.REJECTED:
                raise
            _log.warning("model.tools_refused", role=self._role.value)
        yield EngineRestarted()
        async with aclosing(self._answer(task, GapForm.TEXT)) as outputs:
            async for output in outputs:
                self._form = GapForm.TEXT
                yield output

    async def _answer(self, task: PassTask, form: GapForm) -> AsyncGenerator[EngineOutput, None]:
        heard = _Heard(self._max_gaps)
        finished: Finished | None = None
        request, is_question_cut = self._request(task, form)
        async with aclosing(self._client.stream(request, lambda: self._request(task, form)[0])) as chunks:
            # Frees the prompt, which is large, while the model writes.
            del request
            async for chunk in chunks:
                match chunk:
                    case TextDelta():
                        text = heard.take(chunk.text)
                        if text:
                            yield EngineText(text)
                    case ToolCall():
                        heard.called.append(chunk.arguments)
                    case Restarted():
                        heard = _Heard(self._max_gaps)
                        yield EngineRestarted()
                    case Finished():
                        finished = chunk
        rest = heard.end()
        if finished is not None and finished.stop_reason == _REFUSED:
            raise ModelUnavailable("the model refused to answer")
        gaps, unread, unneeded = heard.gaps()
        if finished is None or (heard.is_empty and (task.is_last or not gaps)):
            raise ModelUnavailable("the model gave no answer")
        if rest:
            yield EngineText(rest)
        yield EngineDone(
            gaps,
            finished.usage,
            finished.model,
            is_cut=finished.stop_reason in _CUT,
            is_question_cut=is_question_cut,
            heard=heard.text,
            unread=unread,
            called=tuple(heard.called),
            unneeded=unneeded,
        )

    def _request(self, task: PassTask, form: GapForm) -> tuple[ModelRequest, bool]:
        built = self._prompt.build(task, task.max_tokens, form)
        tools = (FETCH,) if form is GapForm.TOOLS else ()
        return ModelRequest(self._role, built.turns, built.system, tools=tools), built.is_question_cut


class _Heard:
    """Parses the output of a model for one pass: text to show, gaps and tool calls."""

    __slots__ = ("_links", "_max_gaps", "_parser", "_pieces", "called", "is_empty")

    def __init__(self, max_gaps: int) -> None:
        self._parser = AnswerParser(max_gaps=max_gaps)
        self._links = LinkDisarmer()
        self._max_gaps = max_gaps
        self._pieces: list[str] = []
        self.called: list[str] = []
        self.is_empty = True

    @property
    def text(self) -> str:
        """Return all that the model wrote."""
        return "".join(self._pieces)

    def take(self, piece: str) -> str:
        """Add text of the model and return the part to show."""
        self._pieces.append(piece)
        return self._shown(self._links.feed(self._parser.feed(piece)))

    def end(self) -> str:
        """Return the rest of the text to show."""
        return self._shown(self._links.feed(self._parser.finish()) + self._links.finish())

    def gaps(self) -> tuple[tuple[Gap, ...], tuple[str, ...], tuple[Unneeded, ...]]:
        """
        Return the gaps that text and tool calls name, up to the limit; the requests that cannot be parsed; and the
        pieces and lines that they declare unneeded.
        """
        found, unread, dropped = list(self._parser.gaps), list(self._parser.unread), list(self._parser.dropped)
        for arguments in self.called:
            read = read_json(arguments)
            found += read.gaps if read else ()
            dropped += read.dropped if read else ()
            unread += read.unread if read else (arguments[:_MOST_UNREAD],)
        distinct = tuple(dict.fromkeys(found))
        beyond = len(distinct) - self._max_gaps
        if beyond > 0:
            unread.append(f"{beyond} more than {self._max_gaps}")
        return distinct[: self._max_gaps], tuple(unread), tuple(dict.fromkeys(dropped))

    def _shown(self, text: str) -> str:
        self.is_empty = self.is_empty and not text.strip()
        return text


class ModelJudge:
    """Judges by the model of a role."""

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
        read = _triples(completion.value.get("relations"), state.evidence)
        return replace(_judgement(completion.value, len(state.judgements) + 1, completion.finished.model), triples=read)


def _triples(value: object, evidence: Sequence[Evidence]) -> tuple[Triple, ...]:
    """Return the relations that a model read, but for those of unknown labels and those that the evidence lacks."""
    shown = {f"E{number}": each for number, each in enumerate(evidence, 1)}
    found: list[Triple] = []
    for each in value if isinstance(value, list) else []:
        told = each if isinstance(each, dict) else {}
        label, subject, relation, end = (" ".join(str(told.get(name, "")).split()) for name in _RELATION)
        piece = shown.get(label.strip("[]"))
        if piece and all(0 < len(part) <= _MAX_RELATION for part in (subject, relation, end)):
            found.append(Triple(subject, relation, end, piece.evidence_id))
    return grounded(found, evidence)


def _judgement(value: Mapping[str, Any], iteration: int, model: str) -> Judgement:
    is_sufficient = value.get("sufficient")
    if not isinstance(is_sufficient, bool):
        raise ModelUnavailable("the model's judgement does not say whether the evidence suffices")
    reasoning = " ".join(str(value.get("reasoning", "")).split())[:_MAX_REASONING]
    sub_question = " ".join(str(value.get("sub_question", "")).split())[:_MAX_REASONING]
    return Judgement(iteration, is_sufficient, reasoning, "" if is_sufficient else sub_question, model)
