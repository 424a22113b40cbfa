"""Plays models and session from the recording of an answer; everything else is called again."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from common.core.errors import DependencyUnavailable, ModelUnavailable
from common.core.words.tokens import BpeTokenCounter
from common.model.values import Finished, TextDelta, ToolCall, Usage
from orchestrator.adapters.engines.model_engine import MODEL_ENGINES, ModelEngine
from orchestrator.adapters.engines.prompts import FETCH, AnswerPrompt
from orchestrator.adapters.engines.rollout import Rollout
from orchestrator.domain.answers.phases import Phase
from orchestrator.usecases.answering.asking import Asking
from orchestrator.usecases.answering.classifying import Classifying
from orchestrator.usecases.answering.completing import Completing
from orchestrator.usecases.answering.context import restricted
from orchestrator.usecases.answering.driver import Steps
from orchestrator.usecases.answering.judging import Judging
from orchestrator.usecases.answering.retrieving import Retrieving
from orchestrator.usecases.shadows.stand_ins import FrozenMemory

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from common.model.values import ModelChunk, ModelRequest
    from orchestrator.adapters.peers.retriever import RetrieverClient
    from orchestrator.domain.answers.answer import Judgement
    from orchestrator.domain.answers.events import PassFinished
    from orchestrator.domain.answers.orders import (
        EngineOutput,
        GapOrder,
        GapsFetched,
        PassTask,
        Pin,
        Retrieved,
        RetrieveOrder,
    )
    from orchestrator.domain.answers.recording import Recording
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.loop.references import Reference
    from orchestrator.domain.questions.question import AskOptions, Classification, Mode
    from orchestrator.domain.questions.sessions import SessionMemory
    from orchestrator.ports import AnswerEngine, Classifier, Retriever, SufficiencyJudge
    from orchestrator.usecases.answering.context import AnsweringSettings


class Player:
    """
    Makes the steps of an answer that is made again.

    Args:
        classifier: One that has no model asked; asked anew where no model answered.
        retriever: Searches anew.
        evidence: Writes anew what needs no model.
        rules: Judge anew.
        max_gaps: What a pass of a model names beyond this is left out.
        settings: Defaults of the loop.
    """

    def __init__(
        self,
        classifier: Classifier,
        retriever: RetrieverClient,
        evidence: AnswerEngine,
        rules: SufficiencyJudge,
        *,
        max_gaps: int,
        settings: AnsweringSettings,
    ) -> None:
        self._settings = settings
        self._classifier = classifier
        self._retriever = retriever
        self._evidence = evidence
        self._rules = rules
        self._max_gaps = max_gaps
        # Its vocabulary takes memory, and a service without a model needs it for this alone.
        self._prompt = cache(lambda: AnswerPrompt(BpeTokenCounter()))

    def steps(self, record: AnswerRecord, recording: Recording, state: Callable[[], AnswerState]) -> Steps:
        """
        Return the steps.

        Args:
            record: Who asked what.
            recording: What is played.
            state: Tells how far the new answer is.
        """
        options = restricted(record.question.options, self._settings)
        session = RecordedSession(recording, record.question.question, options)
        engine = RecordedEngine(recording, self._prompt, max_gaps=self._max_gaps)
        judge = RecordedJudge(recording, self._rules)
        retrieving = Retrieving(RecordedRetriever(recording, self._retriever), session)
        return Steps(
            Classifying(RecordedClassifier(recording, self._classifier)),
            retrieving,
            Asking(engine, self._evidence, RecordedSwitch(recording, state)),
            Judging(self._retriever, judge, self._rules, Rollout(0), RecordedSubQuestions(recording)),
            Completing(self._retriever, retrieving, session, session),
        )


class RecordedEngine:
    """
    Implements the engine's port: what the model wrote goes through the real engine again, prompt and parser.

    Args:
        recording: Has what it wrote, or why it failed.
        prompt: Makes that of the real engine, which takes longer than the event loop should wait.
        max_gaps: Of the real engine.
    """

    def __init__(self, recording: Recording, prompt: Callable[[], AnswerPrompt], *, max_gaps: int) -> None:
        started = recording.started.engine
        self.name = started if started in MODEL_ENGINES else MODEL_ENGINES[0]
        self._recording = recording
        self._prompt = prompt
        self._max_gaps = max_gaps

    async def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """Write one pass. Raises ModelUnavailable where the model failed, RecordingEnded where it was not asked."""
        prompt = await asyncio.to_thread(self._prompt)
        engine = ModelEngine(_RecordedModel(self._recording, task.pass_number), prompt, max_gaps=self._max_gaps)
        async with aclosing(engine.answer(task)) as outputs:
            async for output in outputs:
                yield output


class _RecordedModel:
    def __init__(self, recording: Recording, pass_number: int) -> None:
        self._recording = recording
        self._pass_number = pass_number

    async def stream(
        self,
        request: ModelRequest,  # noqa: ARG002 (it was asked)
        again: Callable[[], ModelRequest] | None = None,  # noqa: ARG002 (what it wrote is whole)
    ) -> AsyncGenerator[ModelChunk, None]:
        failure = self._recording.failure("model", self._pass_number)
        if failure:
            raise ModelUnavailable(failure)
        heard = self._recording.heard(self._pass_number)
        if heard.heard:
            yield TextDelta(heard.heard)
        for arguments in heard.called:
            yield ToolCall(FETCH.name, arguments)
        yield _end(heard)


def _end(heard: PassFinished) -> Finished:
    used = heard.usage
    usage = Usage(used.input_tokens, used.output_tokens, used.cache_read_tokens, used.cache_write_tokens)
    return Finished(heard.model, "max_tokens" if heard.is_cut else "end_turn", usage)


class RecordedJudge:
    """Implements the judge's port: a model's judgement is played, rules run again."""

    def __init__(self, recording: Recording, rules: SufficiencyJudge) -> None:
        self._recording = recording
        self._rules = rules

    async def judge(
        self, state: AnswerState, question: str, references: Sequence[Reference], *, is_last: bool
    ) -> Judgement:
        """Return the judgement. Raises ModelUnavailable where the model failed, RecordingEnded where it was unasked."""
        iteration = len(state.judgements) + 1
        failure = self._recording.failure("judge", iteration)
        if failure:
            raise ModelUnavailable(failure)
        if not self._recording.is_judged_by_model:
            return await self._rules.judge(state, question, references, is_last=is_last)
        said = self._recording.judgement(iteration)
        return said if said.model else await self._rules.judge(state, question, references, is_last=is_last)


class RecordedSwitch:
    """
    Implements the kill switch's port: each pass asks whom it asked.

    Args:
        recording: Has who wrote what.
        state: Tells how far the answer is.
    """

    def __init__(self, recording: Recording, state: Callable[[], AnswerState]) -> None:
        self._recording = recording
        self._state = state

    def is_stopped(self) -> bool:
        """Return whether the next pass was kept from the model."""
        state = self._state()
        if state.phase is Phase.NEW:
            return self._recording.started.engine not in MODEL_ENGINES
        return self._recording.is_written_without_model(state.finished_passes + 1)


class RecordedClassifier:
    """Implements the classifier's port: a model's reply or failure is played, rules run again."""

    def __init__(self, recording: Recording, classifier: Classifier) -> None:
        self._recording = recording
        self._classifier = classifier

    async def classify(self, question: str, forced: Mode) -> Classification:
        """Return mode and mentions. Raises DependencyUnavailable where the classifier failed."""
        failure = self._recording.failure("classifier")
        if failure:
            raise DependencyUnavailable(failure)
        return self._recording.classification() or await self._classifier.classify(question, forced)


class RecordedSubQuestions:
    """Implements the classifier's port for the judge's sub-questions: what was read then is played."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def classify(self, question: str, forced: Mode) -> Classification:  # noqa: ARG002 (none is forced)
        """Return mode and mentions. Raises DependencyUnavailable where the classifier failed."""
        found = self._recording.sub_classification(question)
        if found is None:
            raise DependencyUnavailable(f"the classifier did not read {question!r} when the answer was made")
        return found


class RecordedRetriever:
    """Implements the retriever's port: it searches anew, in the snapshot of then, and fails where it did."""

    def __init__(self, recording: Recording, retriever: Retriever) -> None:
        self._recording = recording
        self._retriever = retriever

    async def pin(self, pin: Pin) -> Pin:
        """Return the pin with the snapshot that was read."""
        return replace(pin, snapshot_id=self._recording.snapshot_id)

    async def retrieve(self, order: RetrieveOrder) -> Retrieved:
        """Gather evidence. Raises DependencyUnavailable where that failed, as only a further search can have."""
        self._fail_after(order.pass_number - 1)
        return await self._retriever.retrieve(order)

    async def resolve(self, order: GapOrder) -> GapsFetched:
        """Resolve gaps. Raises DependencyUnavailable if that failed in the recording."""
        self._fail_after(order.pass_number)
        return await self._retriever.resolve(order)

    def _fail_after(self, number: int) -> None:
        failure = self._recording.failure("gaps", number)
        if failure:
            raise DependencyUnavailable(failure)


class RecordedSession(FrozenMemory):
    """What an answer took from its session, or that the store failed."""

    def __init__(self, recording: Recording, question: str, options: AskOptions) -> None:
        super().__init__(recording.memory(question, options))
        self._failure = recording.failure("sessions")

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Return it. Raises DependencyUnavailable where the store failed."""
        if self._failure:
            raise DependencyUnavailable(self._failure)
        return await super().load(session_id, snapshot_id)
