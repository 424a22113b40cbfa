"""Drives the loop: executes each next action and emits the result, until the answer is complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.answers.events import Started, Warned
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.loop import gap_loop as loop
from orchestrator.domain.loop import sufficiency
from orchestrator.domain.loop.actions import AskEngine, Classify, FetchGaps, Finish, Judge, RetrieveFirst, RetrieveMore
from orchestrator.domain.questions.question import Strategy
from orchestrator.usecases.answering.context import Answering

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from common.core.clock import Clock
    from orchestrator.domain.answers.answer import Answer
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.loop.actions import Action
    from orchestrator.domain.questions.sessions import SessionMemory
    from orchestrator.ports import AnswerObserver
    from orchestrator.usecases.answering.asking import Asking
    from orchestrator.usecases.answering.classifying import Classifying
    from orchestrator.usecases.answering.completing import Completing
    from orchestrator.usecases.answering.context import AnsweringSettings
    from orchestrator.usecases.answering.judging import Judging
    from orchestrator.usecases.answering.retrieving import Retrieving
    from orchestrator.usecases.feed import AnswerFeed

    Completion = Callable[[AnswerRecord, Answer, SessionMemory], None]


@dataclass(frozen=True, slots=True)
class Steps:
    """The use cases that execute the loop's actions."""

    classifying: Classifying
    retrieving: Retrieving
    asking: Asking
    judging: Judging
    completing: Completing


class AnswerDriver:
    """
    Makes answers, from the start or from their last event.

    Args:
        steps: The use cases that execute the actions.
        settings: Defaults of the loop.
        clock: Measures time.
        observer: Receives events and failures.
        remaining: Returns the seconds until the last deadline of an answer's callers; None without one.
        completed: Called with each complete answer and the session's memory from before it.
    """

    def __init__(
        self,
        steps: Steps,
        settings: AnsweringSettings,
        clock: Clock,
        observer: AnswerObserver,
        remaining: Callable[[], float | None],
        completed: Completion = lambda _record, _answer, _memory: None,
    ) -> None:
        self._steps = steps
        self._settings = settings
        self._clock = clock
        self._observer = observer
        self._remaining = remaining
        self._completed = completed

    async def drive(self, record: AnswerRecord, feed: AnswerFeed) -> None:
        """Make the answer to its end. After a cancellation, a later call can resume it from its events."""
        answering = Answering(record, feed, self._settings, self._clock, self._observer, self._remaining)
        error: BaseException | None = None
        try:
            await self._begin(answering)
            while answering.state.phase is not Phase.DONE:
                await self._perform(answering, self._next_action(answering))
            if answering.state.answer is not None:
                self._completed(record, answering.state.answer, answering.memory)
        except Exception as raised:
            error = raised
            raise
        finally:
            if answering.state.phase is not Phase.DONE:
                self._observer.stopped(answering.state, error, answering.elapsed)

    async def _begin(self, answering: Answering) -> None:
        if answering.state.phase is Phase.NEW:
            question, rules = answering.record.question, answering.rules
            await answering.emit(
                Started(
                    answering.record.answer_id,
                    question.session_id,
                    question.snapshot_id,
                    question.repository,
                    self._steps.asking.engine_for(answering).name,
                    rules.max_passes,
                    self._settings.variant,
                )
            )
            if answering.record.session_expired:
                text = "the session had expired; a new one was opened"
                await answering.emit(Warned("session_expired", text))
            if not question.session_id:
                text = "the session store does not answer; this answer knows nothing of earlier questions"
                await answering.emit(Warned("degraded_sessions", text))
        await self._steps.retrieving.pin(answering)

    def _next_action(self, answering: Answering) -> Action:
        if answering.strategy is Strategy.SUFFICIENCY:
            return sufficiency.next_action(answering.state, answering.rules, answering.situation())
        return loop.next_action(answering.state, answering.rules, answering.situation())

    async def _ask(self, answering: Answering, action: AskEngine) -> None:
        if answering.state.phase is Phase.ANSWERED:
            # The previous pass only named gaps, none of which was fetched: they get their outcomes first.
            await self._steps.retrieving.settle_known(answering, action.pass_number - 1, ())
        await self._steps.asking.ask(answering, action)

    def _perform(self, answering: Answering, action: Action) -> Awaitable[None]:
        match action:
            case Classify():
                return self._steps.classifying.classify(answering)
            case RetrieveFirst():
                return self._steps.retrieving.retrieve_first(answering)
            case AskEngine():
                return self._ask(answering, action)
            case FetchGaps():
                return self._steps.retrieving.fetch_gaps(answering, action)
            case Judge():
                return self._steps.judging.judge(answering, action)
            case RetrieveMore():
                return self._steps.retrieving.retrieve_more(answering, action)
            case Finish():
                return self._steps.completing.complete(answering, action)
