"""The recording that a replay uses: model outputs, failures and session memory, read from the events of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import StopReason
from orchestrator.domain.answers.errors import AnswerUnfinished
from orchestrator.domain.answers.events import (
    Classified,
    EvidenceSupplied,
    Judged,
    PassFinished,
    PassStarted,
    Started,
    Warned,
)
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.answers.state import AnswerState, fold
from orchestrator.domain.questions.question import ClassifierEngine
from orchestrator.domain.questions.sessions import SessionMemory, question_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.answers.answer import Judgement
    from orchestrator.domain.answers.events import Event
    from orchestrator.domain.questions.question import AskOptions, Classification


_PLAYED_FAILURES = frozenset(f"degraded_{part}" for part in ("classifier", "model", "gaps", "judge"))


class RecordingEnded(Exception):
    """A replay needs a model call that the recording does not have."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Model outputs, failures and the used session memory of one answer."""

    started: Started
    whole: AnswerState
    events: tuple[Event, ...]

    @classmethod
    def of(cls, answer_id: str, events: Sequence[Event]) -> Recording:
        """Read the events of an answer. Raises AnswerUnfinished if it is not complete, or predates recordings."""
        whole = fold(events)
        if whole.phase is not Phase.DONE or whole.started is None:
            text = f"answer {answer_id} is not whole; go on with it by WatchAnswer, then replay it"
            raise AnswerUnfinished(text, metadata={"answer_id": answer_id})
        if any(map(_lacks_words, events)):
            text = f"answer {answer_id} was made before the log kept what was said; ask again and replay that one"
            raise AnswerUnfinished(text, metadata={"answer_id": answer_id})
        return cls(whole.started, whole, tuple(events))

    @property
    def snapshot_id(self) -> str:
        """Return the snapshot that the answer read."""
        return self.whole.answer.snapshot_id if self.whole.answer else self.started.snapshot_id

    def classification(self) -> Classification | None:
        """Return the recorded classification if a model made it; None if rules or the caller decided."""
        of_model = self.whole.classification.engine is ClassifierEngine.MODEL
        return self.whole.classification if of_model else None

    def sub_classification(self, sub_question: str) -> Classification | None:
        """Return the classification of a judge's sub-question; None where the classifier failed."""
        read = (
            each for each in self.events if isinstance(each, Judged) and each.judgement.sub_question == sub_question
        )
        return next((each.classification for each in read), None)

    def heard(self, pass_number: int) -> PassFinished:
        """Return the end of a pass that a model wrote, with its output. Raises RecordingEnded if no model wrote it."""
        found = self._finished(pass_number)
        if found is None or not found.model:
            raise RecordingEnded(f"the model would be asked for pass {pass_number}, which it did not write then")
        return found

    def is_written_without_model(self, pass_number: int) -> bool:
        """Return whether a pass was written without a model although no model had failed."""
        found = self._finished(pass_number)
        return found is not None and not found.model and not self.failure("model")

    @property
    def is_judged_by_model(self) -> bool:
        """Return whether a model was asked to judge, even if it failed."""
        return any(each.model for each in self.whole.judgements) or bool(self.failure("judge"))

    def judgement(self, iteration: int) -> Judgement:
        """Return the judgement after a retrieval. Raises RecordingEnded if there was none."""
        for each in self.whole.judgements:
            if each.iteration == iteration:
                return each
        raise RecordingEnded(f"the judge would be asked after retrieval {iteration}, which it was not then")

    def failure(self, part: str, number: int | None = None) -> str:
        """
        Return the error text with which a part failed, "" if it did not fail.

        Args:
            part: Name behind "degraded_" in the code of a warning.
            number: Pass or retrieval that it failed in; None for any.
        """
        at = 0
        for each in self.events:
            if isinstance(each, EvidenceSupplied | PassStarted | PassFinished):
                at = each.pass_number
            if isinstance(each, Warned) and each.code == f"degraded_{part}" and number in (None, at):
                return each.cause
        return ""

    def memory(self, question: str, options: AskOptions) -> SessionMemory:
        """Return the part of the session's memory that the answer used."""
        supplied = next((each for each in self.events if isinstance(each, EvidenceSupplied)), EvidenceSupplied(1))
        recalled = supplied.evidence[: supplied.from_session]
        forgotten = supplied.shown_before - len(recalled)
        shown = (*(each.evidence_id for each in recalled), *("" for _ in range(forgotten)))
        key = question_key(question, self.whole.classification.mode, options)
        classified = (each for each in self.events if isinstance(each, Classified))
        referent = next((each.referent for each in classified), ())
        return SessionMemory(
            (*referent, *(each for each in recalled if each not in referent)),
            tuple(each for each in self.whole.results if each.is_from_session),
            {key: shown} if supplied.shown_before else {},
        )

    def is_out_of_time(self, state: AnswerState) -> bool:
        """Return whether time is up in a state of the replay: at the loop's end, if time ended the recorded loop."""
        answer = self.whole.answer
        if answer is None or answer.metadata.stop_reason is not StopReason.TIME_SPENT:
            return False
        if state.retrievals < self.whole.retrievals or state.phase is Phase.ANSWERING:
            return False
        # The sufficiency strategy checks the time before its one pass, the gap loop after its last pass.
        return state.phase is Phase.JUDGED or state.finished_passes >= self.whole.finished_passes

    def _finished(self, pass_number: int) -> PassFinished | None:
        # A pass never restarts after its end, so each pass has one PassFinished.
        found = (each for each in self.events if isinstance(each, PassFinished) and each.pass_number == pass_number)
        return next(found, None)


def _lacks_words(event: Event) -> bool:
    """Return whether an event predates the recording of model texts and failures."""
    match event:
        case PassFinished():
            return bool(event.model) and not (event.heard or event.called or event.stands)
        case Warned():
            return event.code in _PLAYED_FAILURES and not event.cause
    return False
