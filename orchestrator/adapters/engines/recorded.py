"""Replays models and session from the recording of an answer; everything else is called again."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from common.core.errors import DependencyUnavailable, ModelUnavailable
from common.core.words.tokens import BpeTokenCounter
from common.model.values import Finished, TextDelta, ToolCall
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

    from common.core.errors import AppError
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
    Makes the steps of a replayed answer.

    Args:
        classifier: Asks no model; called again where the recorded classification is not a model's.
        retriever: Called again.
        evidence: Engine for passes that no model wrote.
        rules: Judge for judgements that no model made.
        max_gaps: Most gaps of a model's pass; further ones are left out.
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
        # Created on first use: its vocabulary takes memory, and a service without a model needs it only for replays.
        self._prompt = cache(lambda: AnswerPrompt(BpeTokenCounter()))

    def steps(self, record: AnswerRecord, recording: Recording, state: Callable[[], AnswerState]) -> Steps:
        """
        Return the steps.

        Args:
            record: Owner and question of the answer.
            recording: The recording to play.
            state: Returns the current state of the replayed answer.
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
    Implements `AnswerEngine`: the recorded output of the model passes through the real engine's prompt and parser.

    Args:
        recording: Has the model's output, or its failure.
        prompt: Makes the prompt builder; called in a thread, since it is slow.
        max_gaps: Most gaps of a pass, as for the real engine.
    """

    def __init__(self, recording: Recording, prompt: Callable[[], AnswerPrompt], *, max_gaps: int) -> None:
        started = recording.started.engine
        self.name = started if started in MODEL_ENGINES else MODEL_ENGINES[0]
        self._recording = recording
        self._prompt = prompt
        self._max_gaps = max_gaps

    async def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """Write one pass. Raises ModelUnavailable if the model failed then, RecordingEnded if it was not asked."""
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
        _fail_again(self._recording, "model", self._pass_number, ModelUnavailable)
        heard = self._recording.heard(self._pass_number)
        if heard.heard:
            yield TextDelta(heard.heard)
        for arguments in heard.called:
            yield ToolCall(FETCH.name, arguments)
        yield _end(heard)


def _end(heard: PassFinished) -> Finished:
    return Finished(heard.model, "max_tokens" if heard.is_cut else "end_turn", heard.usage)


class RecordedJudge:
    """Implements `SufficiencyJudge`: replays a model's judgement; rules are applied again."""

    def __init__(self, recording: Recording, rules: SufficiencyJudge) -> None:
        self._recording = recording
        self._rules = rules

    async def judge(
        self, state: AnswerState, question: str, references: Sequence[Reference], *, is_last: bool
    ) -> Judgement:
        """Return the judgement. Raises ModelUnavailable if the model failed then, RecordingEnded if not asked."""
        iteration = len(state.judgements) + 1
        _fail_again(self._recording, "judge", iteration, ModelUnavailable)
        if not self._recording.is_judged_by_model:
            return await self._rules.judge(state, question, references, is_last=is_last)
        said = self._recording.judgement(iteration)
        return said if said.model else await self._rules.judge(state, question, references, is_last=is_last)


class RecordedSwitch:
    """
    Implements `KillSwitch`: it is on for the passes that were written without the model in the recording.

    Args:
        recording: Has the engine of each pass.
        state: Returns the current state of the replayed answer.
    """

    def __init__(self, recording: Recording, state: Callable[[], AnswerState]) -> None:
        self._recording = recording
        self._state = state

    def is_stopped(self) -> bool:
        """Return whether the next pass was written without the model in the recording."""
        state = self._state()
        if state.phase is Phase.NEW:
            return self._recording.started.engine not in MODEL_ENGINES
        return self._recording.is_written_without_model(state.finished_passes + 1)


class RecordedClassifier:
    """Implements `Classifier`: replays a model's result or failure; rules are applied again."""

    def __init__(self, recording: Recording, classifier: Classifier) -> None:
        self._recording = recording
        self._classifier = classifier

    async def classify(self, question: str, forced: Mode) -> Classification:
        """Return mode and mentions. Raises DependencyUnavailable if the classifier failed in the recording."""
        _fail_again(self._recording, "classifier")
        return self._recording.classification() or await self._classifier.classify(question, forced)


class RecordedSubQuestions:
    """Implements `Classifier` for the judge's sub-questions: replays the recorded classifications."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def classify(self, question: str, forced: Mode) -> Classification:  # noqa: ARG002 (none is forced)
        """Return mode and mentions. Raises DependencyUnavailable if the classifier failed in the recording."""
        found = self._recording.sub_classification(question)
        if found is None:
            raise DependencyUnavailable(f"the classifier did not read {question!r} when the answer was made")
        return found


class RecordedRetriever:
    """Implements `Retriever`: searches the recorded snapshot again, and fails where the recording has a failure."""

    def __init__(self, recording: Recording, retriever: Retriever) -> None:
        self._recording = recording
        self._retriever = retriever

    async def pin(self, pin: Pin) -> Pin:
        """Return the pin with the snapshot that was read."""
        return replace(pin, snapshot_id=self._recording.snapshot_id)

    async def retrieve(self, order: RetrieveOrder) -> Retrieved:
        """Gather evidence. Raises DependencyUnavailable if that failed in the recording (only a further search can)."""
        _fail_again(self._recording, "gaps", order.pass_number - 1)
        return await self._retriever.retrieve(order)

    async def resolve(self, order: GapOrder) -> GapsFetched:
        """Resolve gaps. Raises DependencyUnavailable if that failed in the recording."""
        _fail_again(self._recording, "gaps", order.pass_number)
        return await self._retriever.resolve(order)


class RecordedSession(FrozenMemory):
    """Implements `SessionMemories`: returns the recorded memory of the session, or its store's failure."""

    def __init__(self, recording: Recording, question: str, options: AskOptions) -> None:
        super().__init__(recording.memory(question, options))
        self._recording = recording

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Return the recorded memory. Raises DependencyUnavailable if the store failed in the recording."""
        _fail_again(self._recording, "sessions")
        return await super().load(session_id, snapshot_id)


def _fail_again(
    recording: Recording, part: str, number: int | None = None, kind: type[AppError] = DependencyUnavailable
) -> None:
    failure = recording.failure(part, number)
    if failure:
        raise kind(failure)
