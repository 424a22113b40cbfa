"""A recording is read from events, and played to the loop in place of models, session and time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from common.core.contract.usage import TokenUsage
from common.core.errors import DependencyUnavailable, ModelUnavailable
from common.core.words.tokens import BpeTokenCounter
from orchestrator.adapters.engines.prompts import AnswerPrompt
from orchestrator.adapters.engines.recorded import RecordedEngine, RecordedJudge, RecordedSession, RecordedSubQuestions
from orchestrator.domain.answers.answer import Answer, Confidence, Judgement, LoopMetadata, StopReason
from orchestrator.domain.answers.errors import AnswerUnfinished
from orchestrator.domain.answers.events import (
    Classified,
    Completed,
    Event,
    EvidenceSupplied,
    Judged,
    PassFinished,
    PassStarted,
    Started,
    TextDelta,
    Warned,
)
from orchestrator.domain.answers.orders import EngineDone, EngineOutput, EngineText, PassTask, Pin
from orchestrator.domain.answers.recording import Recording, RecordingEnded
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.answers.state import AnswerState, fold
from orchestrator.domain.evidence.piece import Evidence, SearchQuality
from orchestrator.domain.questions.question import AskOptions, Classification, Mode
from orchestrator.domain.questions.sessions import question_key

NOW = datetime(2026, 1, 1, tzinfo=UTC)
QUESTION = "How does checkout charge?"
HEARD = 'It calls `charge` [E1].\n<gaps>\n<gap symbol="charge">how</gap>\n</gaps>'
STARTED = Started("ans_1", "ses_1", "snap-1", "shop", "anthropic", 3)
CLASSIFIED = Classified(Classification(Mode.CONCEPTUAL))
SUPPLIED = EvidenceSupplied(1, (Evidence("a", text="a", tokens=1), Evidence("b", text="b", tokens=1)))
FINISHED = PassFinished(1, TokenUsage(5, 6), 1.0, "anthropic", "m", is_cut=True, heard=HEARD)
PASS = (PassStarted(1), TextDelta(1, "It calls `charge` [1]."), FINISHED)


def completed(stop_reason: StopReason = StopReason.NOTHING_ASKED) -> Completed:
    return Completed(
        Answer(
            "ans_1",
            "shop",
            "snap-1",
            "ses_1",
            QUESTION,
            "",
            (),
            Confidence.LOW,
            "",
            "",
            Classification(),
            SearchQuality(),
            LoopMetadata(stop_reason=stop_reason),
            (),
            (),
            (),
            "anthropic",
            "m",
            NOW,
            (),
        )
    )


def recording(*events: Event, end: Completed | None = None) -> Recording:
    return Recording.of("ans_1", (*(events or (STARTED, CLASSIFIED, SUPPLIED, *PASS)), end or completed()))


def record() -> AnswerRecord:
    return AnswerRecord("ans_1", "me", Question("shop", QUESTION, "snap-1", "ses_1"), "f", NOW)


async def written(played: Recording, pass_number: int = 1) -> list[EngineOutput]:
    engine = RecordedEngine(played, lambda: AnswerPrompt(BpeTokenCounter()), max_gaps=5)
    task = PassTask(Pin("shop", "snap-1"), QUESTION, Classification(), SUPPLIED.evidence, pass_number=pass_number)
    return [output async for output in engine.answer(task)]


async def test_what_a_model_wrote_goes_through_the_engine_again() -> None:
    """Its tags become gaps, its end is what it was, and the words are kept once more."""
    *texts, done = await written(recording())

    assert "".join(each.text for each in texts if isinstance(each, EngineText)).strip() == "It calls `charge` [E1]."
    assert isinstance(done, EngineDone)
    assert [gap.symbol for gap in done.gaps] == ["charge"]
    assert (done.model, done.usage, done.is_cut, done.heard) == ("m", TokenUsage(5, 6), True, HEARD)


async def test_a_pass_that_no_model_wrote_ends_the_recording() -> None:
    """Nobody is asked instead, and no fallback takes over."""
    with pytest.raises(RecordingEnded, match="pass 2"):
        await written(recording(), 2)


async def test_a_model_fails_where_it_failed() -> None:
    """With its words of then."""
    failed = (
        *(STARTED, CLASSIFIED, SUPPLIED, PassStarted(1), Warned("degraded_model", "gone; so", "gone"), PassStarted(1)),
        replace(FINISHED, model="", heard="", engine="evidence"),
    )
    with pytest.raises(ModelUnavailable, match=r"^gone$"):
        await written(recording(*failed))


async def test_a_judge_is_played_by_the_retrieval_that_it_followed() -> None:
    """What a model said; where rules judged they judge again; beyond its end nobody is asked."""
    events = (
        *(STARTED, CLASSIFIED, SUPPLIED, Judged(Judgement(1, sub_question="why?", model="m"))),
        *(EvidenceSupplied(2), Judged(Judgement(2, sub_question="how?"))),
        *(EvidenceSupplied(3), Judged(Judgement(3, sufficient=True, model="m")), *PASS),
    )
    played = recording(*events)
    judge = RecordedJudge(played, _Rules())
    said = [await judge.judge(fold(events[:seen]), QUESTION, (), is_last=False) for seen in (3, 5, 7)]
    with pytest.raises(RecordingEnded, match="retrieval 4"):
        await judge.judge(fold((*events[:8],)), QUESTION, (), is_last=False)

    assert [each.sub_question for each in said] == ["why?", "by rules", ""]


async def test_what_was_read_in_a_sub_question_is_played() -> None:
    """One that the classifier failed to read fails again, and the first question's classification serves."""
    read = Classification(Mode.EXPLORATORY)
    played = recording(
        *(STARTED, CLASSIFIED, SUPPLIED, Judged(Judgement(1, sub_question="why?"), classification=read)),
        *(EvidenceSupplied(2), Judged(Judgement(2, sub_question="how?")), EvidenceSupplied(3)),
        *(Judged(Judgement(3, sufficient=True)), *PASS),
    )
    classifier = RecordedSubQuestions(played)
    with pytest.raises(DependencyUnavailable, match="did not read 'how"):
        await classifier.classify("how?", Mode.UNSPECIFIED)

    assert await classifier.classify("why?", Mode.UNSPECIFIED) == read


class _Rules:
    async def judge(self, state: AnswerState, *_: object, **__: object) -> Judgement:
        return Judgement(len(state.judgements) + 1, sub_question="by rules")


async def test_a_session_remembers_what_was_taken_from_it() -> None:
    """What had been forgotten of an earlier question by then is missing again."""
    supplied = replace(SUPPLIED, from_session=1, shown_before=3)
    played = recording(STARTED, CLASSIFIED, supplied, *PASS)
    memory = await RecordedSession(played, QUESTION, AskOptions()).load("ses_1", "snap-1")

    assert [each.evidence_id for each in memory.evidence] == ["a"]
    assert memory.shown == {question_key(QUESTION, Mode.CONCEPTUAL, AskOptions()): ("a", "", "")}
    assert (await RecordedSession(recording(), QUESTION, AskOptions()).load("ses_1", "snap-1")).shown == {}


async def test_a_store_that_was_away_is_so_again() -> None:
    """The answer knows nothing of earlier questions again."""
    played = recording(STARTED, Warned("degraded_sessions", "away; so", "away"), CLASSIFIED, SUPPLIED, *PASS)
    with pytest.raises(DependencyUnavailable, match=r"^away$"):
        await RecordedSession(played, QUESTION, AskOptions()).load("ses_1", "snap-1")


@pytest.mark.parametrize(
    ("events", "seen", "is_over"),
    [
        ((STARTED, CLASSIFIED, SUPPLIED, *PASS), 3, False),
        ((STARTED, CLASSIFIED, SUPPLIED, *PASS), 4, False),
        ((STARTED, CLASSIFIED, SUPPLIED, *PASS), 6, True),
        ((STARTED, CLASSIFIED, SUPPLIED, Judged(Judgement(1, sub_question="why?")), *PASS), 4, True),
        ((STARTED, CLASSIFIED, SUPPLIED, Judged(Judgement(1, sub_question="why?")), *PASS), 5, False),
    ],
)
def test_time_is_over_where_it_was(events: tuple[Event, ...], seen: int, is_over: bool) -> None:
    """At the end of the loop, not while an engine is asked; and only where time was what ended it."""
    spent = recording(*events, end=completed(StopReason.TIME_SPENT))

    assert spent.is_out_of_time(fold(events[:seen])) is is_over
    assert not recording(*events).is_out_of_time(fold(events[:seen]))


def test_what_is_not_whole_is_no_recording() -> None:
    """Nor what was kept before the words of models were."""
    with pytest.raises(AnswerUnfinished, match="not whole"):
        Recording.of("ans_1", (STARTED, CLASSIFIED))
    with pytest.raises(AnswerUnfinished, match="before the log kept"):
        recording(STARTED, CLASSIFIED, SUPPLIED, PASS[0], replace(FINISHED, heard=""))


@pytest.mark.parametrize("part", ["classifier", "model", "gaps", "judge"])
def test_what_failed_without_its_words_is_no_recording(part: str) -> None:
    """Logs of before have only what was told of it: a replay would have it succeed, and call that a difference."""
    told = Warned(f"degraded_{part}", "gone; something else was done")
    with pytest.raises(AnswerUnfinished, match="before the log kept"):
        recording(STARTED, CLASSIFIED, told, SUPPLIED, *PASS)

    assert recording(STARTED, CLASSIFIED, replace(told, cause="gone"), SUPPLIED, *PASS).failure(part) == "gone"
